// The routes of one page that a client waits for. The page goes through the queue, before everything else.
#include <algorithm>
#include <functional>
#include <optional>
#include <stop_token>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/firecrawl/document.h"
#include "api/firecrawl/page_request.h"
#include "api/firecrawl/routes.h"
#include "api/firecrawl/states.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "api/server/multipart.h"
#include "base/ascii.h"
#include "base/printable.h"
#include "crawl/url_identity.h"
#include "model/json/output.h"
#include "model/stored_page.h"

namespace quarry::api {

namespace {

namespace json = boost::json;

// A scrape whose page is not there yet.
struct Waiting {
    Call call{};
    ScrapeRequest request{};
    GroupId group{};
    std::optional<std::stop_callback<std::function<void()>>> on_leaving{};  // of the client
};

// The pictures themselves if they are not kept after the answer; else nothing, and the answer links to them.
Result<std::string> media_to_give(store::Reader& reader, const StoredPage& page,
                                  const crawl::CrawlOptions& options) {
    const bool has_media = options.picture || !options.actions.empty();
    if (!options.zero_retention || !has_media) return std::string();
    return reader.media(page.content_id);
}

Response found(Api& api, const StoredPage& page, const ScrapeRequest& request, const std::string& id,
               std::string_view cache_state, const MediaLinks& links = {}) {
    json::object document = firecrawl_document(page, request.shown, links);
    // The stored answers belong to the questions of an earlier client, not of this one.
    if (cache_state == "hit")
        for (const std::string_view name : {"json", "summary", "answer", "highlights"}) document.erase(name);
    if (const auto added =
            add_answers(page, request.wish.data, api.services().model.get(), api.stopping(), document);
        !added)
        return reply_error(status_of_answer(added.error().code), "SCRAPE_DATA_FAILED", added.error().message);
    json::object& metadata = document["metadata"].get_object();
    metadata["scrapeId"] = id;
    metadata["cacheState"] = cache_state;
    if (cache_state == "hit") {
        metadata["cachedAt"] = iso_time(page.facts.fetched_at);
        // These fields belong to the time of the fetch.
        for (const std::string_view name : {"changeTracking", "screenshot", "actions"}) document.erase(name);
    }
    return reply(json::object{{"success", true}, {"scrape_id", id}, {"data", std::move(document)}});
}

Response failed(const FrontierUrl& url) {
    const ScrapeError error = scrape_error_of(url);
    return reply_error(error.status, error.code, url.note.empty() ? "the page could not be read" : url.note);
}

// The page if it was stored recently enough, in all formats that the request asks for.
Result<std::optional<StoredPage>> stored_page(store::Reader& reader, const crawl::CrawlOptions& options,
                                              const PageWish& wish, Timestamp now,
                                              std::chrono::milliseconds cache) {
    if (!wish.max_age || wish.max_age->count() == 0 || options.track_changes) return std::nullopt;
    // A request to render the page always fetches the current one.
    if (options.render == Rendering::always) return std::nullopt;
    const auto url = url::Url::parse(options.urls.front());
    if (!url) return std::nullopt;
    auto page = TRY(reader.page(options.collection, crawl::url_key(*url, crawl::identity_rules(options))));
    if (!page || !page->content) return std::nullopt;
    const auto age = now - page->facts.fetched_at;
    if (age > std::min(*wish.max_age, cache) || (wish.min_age && age < *wish.min_age)) return std::nullopt;
    const bool lacks_html = options.formats.html && page->content->html.empty();
    const bool lacks_raw =
        options.formats.raw_html && page->content->details.find("\"rawHtml\"") == std::string::npos;
    if (lacks_html || lacks_raw) return std::nullopt;
    return page;
}

// The answer for the page that the client waited for.
Response outcome_of(Api& api, store::Reader& reader, const Waiting& waiting, const std::string& id) {
    const auto pages = reader.pages({.group = waiting.group, .limit = 1, .with_content = true});
    if (!pages) return reply(pages.error());
    if (!pages->pages.empty()) {
        const StoredPage& page = pages->pages.front();
        const auto media = media_to_give(reader, page, waiting.request.options);
        if (!media) return reply(media.error());
        return found(api, page, waiting.request, id, "miss",
                     {.origin = origin_of(waiting.call.request()), .media = *media});
    }
    const auto urls = reader.urls(
        {.group = waiting.group, .states = {UrlState::failed, UrlState::skipped, UrlState::cancelled}});
    if (!urls) return reply(urls.error());
    // The URL at the end of the redirects counts.
    return urls->empty() ? reply_error(500, "UNKNOWN_ERROR", "the page was not fetched")
                         : failed(urls->back());
}

void answer(Api& api, const std::shared_ptr<Waiting>& waiting, bool is_over) {
    const auto work = [&api, waiting, is_over](store::Reader& reader) {
        const auto group = reader.group(waiting->group);
        const std::string id = group ? id_of(*group, reader) : "";
        if (!is_over) (void)api.services().cancel(waiting->group);
        waiting->call.respond(is_over ? outcome_of(api, reader, *waiting, id)
                                      : reply_error(408, "SCRAPE_TIMEOUT",
                                                    "the page took longer than the timeout of the request"));
        // If this fails, the group is removed when it is an hour old, like everything that is not to be kept.
        if (waiting->request.options.zero_retention) (void)api.services().erase(waiting->group);
    };
    // A model may take long.
    if (waiting->request.wish.data.wants_any())
        api.post_outside(waiting->call, work);
    else
        api.post(waiting->call, work);
}

}  // namespace

void scrape_page(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    ScrapeRequest request = read_scrape_request(call.body, issues);
    if (request.wish.data.needs_model() && api.services().model == nullptr)
        issues.push_back({.path = "formats", .message = "has one that " + std::string(needs_model_sentence)});
    if (!issues.empty()) return call.respond(reply(issues));
    Api::claim(call, request.options);
    // A page that must not be found again is not kept, unless later fetches are to be compared with it.
    if (!request.wish.store_in_cache && !request.options.track_changes) request.options.zero_retention = true;
    const auto stored = stored_page(reader, request.options, request.wish, api.services().now(),
                                    api.services().promises.cache);
    if (!stored) return call.respond(reply(stored.error()));
    if (*stored && request.wish.data.wants_any())
        return api.post_outside(call, [&api, call, request, page = **stored](store::Reader&) {
            call.respond(found(api, page, request, call.request_id, "hit"));
        });
    if (*stored) return call.respond(found(api, **stored, request, call.request_id, "hit"));
    if (request.wish.cached_only)
        return call.respond(reply_error(404, "SCRAPE_LOCKDOWN_CACHE_MISS",
                                        "the page is not stored, and was not to be fetched"));
    const auto group = api.begin_crawl(reader, call, request.options);
    if (!group) return call.respond(reply(group.error()));
    const auto until = std::chrono::steady_clock::now() + request.wish.timeout;
    const auto waiting = std::make_shared<Waiting>(std::move(call), std::move(request), *group);
    waiting->on_leaving.emplace(waiting->call.exchange->gone(), api.cancelling(waiting->call, *group));
    api.live().when_over(*group, until, [&api, waiting](bool is_over) { answer(api, waiting, is_over); });
    // The group may have ended before when_over() was called.
    if (const auto now = reader.group(*group); now && now->is_over()) api.live().tell_over(*group);
}

void show_scrape(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, "scrape");
    if (!group) return call.respond(reply(group.error()));
    const auto options = crawl::options_of(*group);
    if (!options) return call.respond(reply(options.error()));
    const auto pages = reader.pages({.group = group->id, .limit = 1, .with_content = true});
    if (!pages) return call.respond(reply(pages.error()));
    if (pages->pages.empty())
        return call.respond(reply_error(404, "NOT_FOUND", "the scrape has no document, or not yet"));
    call.respond(found(api, pages->pages.front(), {.shown = options->formats}, id_of(*group, reader), "miss",
                       {.origin = origin_of(call.request())}));
}

// Pictures of pages, for every client that knows their names: people open them in a browser, which sends no
// key.

void show_media(Api&, store::Reader& reader, Call call) {
    const std::string_view file = call.values.at(0);
    const auto place = parse_media_name(file.substr(0, file.find('.')));
    const auto not_found = [&] {
        call.respond(reply_error(404, "NOT_FOUND", "there is no such picture, or no longer"));
    };
    if (!place) return not_found();
    const auto packed = reader.media(place->version);
    if (!packed) return call.respond(reply(packed.error()));
    auto media = find_media(*packed, place->token);
    if (!media) return not_found();
    call.respond({.content_type = std::move(media->type),
                  .body = std::move(media->bytes),
                  .headers = {{"Cache-Control", "private, max-age=3600, immutable"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Content-Security-Policy", "sandbox"}}});
}

// A file that the client uploads is read like a page. Nothing of it is kept.

namespace {

namespace json = boost::json;

constexpr std::size_t most_file_bytes = 50u << 20;
constexpr std::string_view what_is_read =
    "this server reads HTML, PDF, Markdown, plain text, JSON, RSS and Atom files";

// The media type for a file's name; "" if the name tells none that quarry knows.
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

// The file's name is more reliable than the type that a client's library sends, unless that type adds a
// charset.
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

// Reads the file and its options. Wrong options are reported as issues.
Result<Upload> read_upload(const Request& request, std::vector<Issue>& issues) {
    const auto parts = TRY(parse_multipart(request.header("content-type"), request.body));
    const FormPart* file = find_part(parts, "file");
    if (!file) return fail(ErrorCode::invalid_argument, "the form has no part \"file\"");
    if (file->body.size() > most_file_bytes)
        return fail(ErrorCode::too_large, "the file is larger than 50 MB");
    const FormPart* part = find_part(parts, "options");
    const json::object options = TRY(parse_json_object(part ? part->body : ""));
    // Both return in the answer, which is JSON, whatever bytes the client sent.
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
