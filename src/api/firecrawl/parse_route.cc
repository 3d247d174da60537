// A file that the client has, read like a page. Nothing of it is kept.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/firecrawl/page_request.h"
#include "api/firecrawl/routes.h"
#include "api/server/json_body.h"
#include "api/server/multipart.h"
#include "api/server/reply.h"
#include "base/ascii.h"
#include "base/printable.h"
#include "model/json/document_json.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::size_t most_file_bytes = 50u << 20;
constexpr std::string_view what_is_read =
    "this server reads HTML, PDF, Markdown, plain text, JSON, RSS and Atom files";

// What a file's name says it is; "" if that is nothing we know.
std::string_view type_of_name(std::string_view filename) {
    constexpr std::pair<std::string_view, std::string_view> types[] = {{".html", "text/html"},
                                                                       {".htm", "text/html"},
                                                                       {".xhtml", "application/xhtml+xml"},
                                                                       {".pdf", "application/pdf"},
                                                                       {".md", "text/markdown"},
                                                                       {".markdown", "text/markdown"},
                                                                       {".txt", "text/plain"},
                                                                       {".json", "application/json"},
                                                                       {".rss", "application/rss+xml"},
                                                                       {".xml", "application/xml"},
                                                                       {".atom", "application/atom+xml"}};
    const std::string name = lower_case(filename);
    const auto* found =
        std::ranges::find_if(types, [&](const auto& type) { return name.ends_with(type.first); });
    return found == std::end(types) ? "" : found->second;
}

// The name is more to be trusted than what a client's library says of it, unless that adds a charset.
std::string type_of(const FormPart& file) {
    const std::string_view named = type_of_name(file.filename);
    const bool adds_something = lower_case(file.content_type).starts_with(named);
    return named.empty() || adds_something ? file.content_type : std::string(named);
}

const FormPart* find_part(const std::vector<FormPart>& parts, std::string_view name) {
    const auto found = std::ranges::find(parts, name, &FormPart::name);
    return found == parts.end() ? nullptr : &*found;
}

json::object document_of(const Document& document, const Upload& upload, const Call& call) {
    json::object data = to_json(document, upload.options.formats);
    json::object& metadata = data["metadata"].get_object();
    metadata["sourceURL"] = upload.page.url;
    metadata["url"] = upload.page.url;
    metadata["statusCode"] = 200;
    metadata["contentType"] = upload.page.content_type;
    metadata["scrapeId"] = call.request_id;
    metadata["proxyUsed"] = "basic";
    metadata["creditsUsed"] = 1;
    metadata["concurrencyLimited"] = false;
    return data;
}

Response failed(const Error& error) {
    switch (error.code) {
        case ErrorCode::unsupported:
            return reply_error(415, "SCRAPE_UNSUPPORTED_FILE_ERROR",
                               fmt::format("{}: {}", error.message, what_is_read));
        case ErrorCode::timeout: return reply_error(408, "SCRAPE_TIMEOUT", error.message);
        case ErrorCode::corrupt: return reply_error(400, "SCRAPE_CORRUPT_FILE_ERROR", error.message);
        default: return reply(error);
    }
}

// Both the file and how it is wanted. Wrong options are issues.
Result<Upload> read_upload(const Request& request, std::vector<Issue>& issues) {
    const auto parts = TRY(parse_multipart(request.header("content-type"), request.body));
    const FormPart* file = find_part(parts, "file");
    if (!file) return fail(ErrorCode::invalid_argument, "the form has no part \"file\"");
    if (file->body.size() > most_file_bytes)
        return fail(ErrorCode::too_large, "the file is larger than 50 MB");
    const FormPart* part = find_part(parts, "options");
    const json::object options = TRY(parse_json_object(part ? part->body : ""));
    // Both come back in the answer, which is JSON, whatever bytes they were sent as.
    Upload upload{
        .page = {.url = as_utf8(file->filename), .status = 200, .content_type = as_utf8(type_of(*file))}};
    Fields fields(options, issues, "options.");
    upload.timeout = read_page_wish(fields, upload.options).timeout;
    if (upload.options.picture)
        fields.reject("formats", "has a screenshot, which is taken of pages of the web only");
    if (upload.options.formats.branding)
        fields.reject("formats", "has branding, which is seen on pages of the web only");
    upload.page.body = file->body;
    return upload;
}

}  // namespace

void parse_file(Api& api, store::Reader&, Call call) {
    api.post_slow(call, [&api, call](store::Reader&) {
        if (call.exchange->gone().stop_requested()) return;
        std::vector<Issue> issues;
        const auto upload = read_upload(call.request(), issues);
        if (!upload) return call.respond(failed(upload.error()));
        if (!issues.empty()) return call.respond(reply(issues));
        const auto document = api.services().read(*upload);
        if (!document) return call.respond(failed(document.error()));
        call.respond(reply(json::object{{"success", true}, {"data", document_of(*document, *upload, call)}}));
    });
}

}  // namespace quarry::api
