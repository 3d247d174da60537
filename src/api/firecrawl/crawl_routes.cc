// Crawls and batches: begun, asked for, cancelled. A batch is a crawl of the pages it names.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/firecrawl/page_request.h"
#include "api/firecrawl/crawl_status.h"
#include "api/firecrawl/follow_crawl.h"
#include "api/firecrawl/states.h"
#include "api/firecrawl/routes.h"
#include "api/firecrawl/scrape_error.h"
#include "api/own/query.h"
#include "api/server/reply.h"
#include "crawl/options/json.h"
#include "model/ids.h"
#include "model/json/output.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::string_view crawl_kind = "crawl", batch_kind = "batch_scrape";
constexpr std::string_view crawl_path = "/v2/crawl/", batch_path = "/v2/batch/scrape/";
constexpr int most_errors = 1'000;

std::string_view path_of(std::string_view kind) {
    return kind == crawl_kind ? crawl_path : batch_path;
}

// {"success", "id", "url"}
json::object begun(const Group& group, const store::Reader& reader, const Call& call) {
    const std::string name = id_of(group, reader);
    return json::object{{"success", true},
                        {"id", name},
                        {"url", origin_of(call.request()) + std::string(path_of(group.kind)) + name}};
}

// A client that does not know whether it was heard asks again with the same key, and begins nothing twice.
Result<json::object> begin(Api& api, store::Reader& reader, const Call& call, crawl::CrawlOptions options) {
    constexpr std::size_t longest_key = 256;
    options.request_key = call.request().header("x-idempotency-key");
    if (options.request_key.size() > longest_key)
        return fail(ErrorCode::invalid_argument, "x-idempotency-key has more than 256 characters");
    const auto id = api.begin_crawl(reader, call, options);
    const bool is_known = !id && id.error().code == ErrorCode::conflict && !options.request_key.empty();
    if (is_known) return fail(ErrorCode::conflict, "Idempotency key already used");
    if (!id) return std::unexpected(id.error());
    const Group group = TRY(reader.group(*id));
    return begun(group, reader, call);
}

// More pages for a batch that is not over.
Result<json::object> append(Api& api, store::Reader& reader, Call call, const crawl::CrawlOptions& options) {
    call.values = {std::string(call.body.at("appendToId").get_string())};
    const Group batch = TRY(find_group(reader, call, batch_kind));
    if (batch.is_over())
        return fail(ErrorCode::conflict,
                    fmt::format("the batch is {} and takes no more pages", firecrawl_state(batch.state)));
    TRY(api.check_quota(reader, call.owner));
    const crawl::CrawlOptions own = TRY(crawl::options_of(batch));
    if (own.allow_private || !own.allow_networks.empty())
        return fail(ErrorCode::refused,
                    "the batch may fetch private addresses: only this machine's own commands add to it");
    TRY(api.services().add_urls(batch.id, options.urls));
    return begun(batch, reader, call);
}

void show(Api& api, store::Reader& reader, Call call, std::string_view kind) {
    const auto group = find_group(reader, call, kind);
    if (call.request().is_upgrade) return follow_crawl(api, reader, std::move(call), group);
    if (!group) return call.respond(reply(group.error()));
    constexpr std::int64_t most_skipped = 1'000'000'000;
    constexpr int most_documents = 100;
    own::Query query(call.request(), own::Unknown::accepted);
    const StatusPage page{.skip = query.integer("skip", 0, most_skipped).value_or(0),
                          .limit = query.limit(most_documents, most_documents),
                          .origin = origin_of(call.request()),
                          .expires_at = expiry_of(api.services(), *group)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const std::string self = page.origin + std::string(path_of(kind)) + id_of(*group, reader);
    const auto status = crawl_status(reader, *group, page, self);
    call.respond(status ? reply(*status) : reply(status.error()));
}

json::object error_of(const FrontierUrl& url, const Group& group, const store::Reader& reader) {
    json::object error{{"id", public_id(number(url.id), group.created_at, reader.salt())},
                       {"url", url.url},
                       {"error", for_clients(url.note)}};
    if (url.finished_at) error["timestamp"] = iso_time(*url.finished_at);
    error["code"] =
        url.status >= 400 ? fmt::format("HTTP_{}", url.status) : std::string(scrape_error_of(url).code);
    return error;
}

Result<json::object> errors_of(store::Reader& reader, const Call& call, std::string_view kind) {
    const Group group = TRY(find_group(reader, call, kind));
    json::array errors, blocked;
    const auto add = [&](const std::vector<FrontierUrl>& urls) {
        for (const FrontierUrl& url : urls) errors.push_back(error_of(url, group, reader));
    };
    add(TRY(reader.urls({.group = group.id, .states = {UrlState::failed}, .limit = most_errors})));
    for (const SkipReason reason : {SkipReason::not_a_page, SkipReason::empty})
        add(TRY(reader.urls({.group = group.id, .skipped = reason, .limit = most_errors})));
    const auto refused =
        TRY(reader.urls({.group = group.id, .skipped = SkipReason::robots, .limit = most_errors}));
    for (const FrontierUrl& url : refused) blocked.emplace_back(url.url);
    return json::object{{"errors", std::move(errors)}, {"robotsBlocked", std::move(blocked)}};
}

// What only a model can answer is not promised without one.
void check_model(Api& api, const crawl::CrawlOptions& options, std::string_view field,
                 std::vector<Issue>& issues) {
    if (options.data.needs_model() && api.services().model == nullptr)
        issues.push_back(
            {.path = std::string(field), .message = "has one that " + std::string(needs_model_sentence)});
}

void show_errors(store::Reader& reader, const Call& call, std::string_view kind) {
    const auto errors = errors_of(reader, call, kind);
    call.respond(errors ? reply(*errors) : reply(errors.error()));
}

void cancel(Api& api, store::Reader& reader, const Call& call, std::string_view kind) {
    const auto group = find_group(reader, call, kind);
    if (!group) return call.respond(reply(group.error()));
    const auto cancelled = api.services().cancel(group->id);
    if (!cancelled && cancelled.error().code == ErrorCode::conflict)
        return call.respond(
            reply_error(409, "CONFLICT", fmt::format("Crawl is already {}", firecrawl_state(group->state))));
    if (!cancelled) return call.respond(reply(cancelled.error()));
    call.respond(reply(json::object{{"success", true}, {"status", "cancelled"}}));
}

}  // namespace

void begin_crawl(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    auto options = read_crawl_request(call.body, issues);
    check_model(api, options, "scrapeOptions.formats", issues);
    if (!issues.empty()) return call.respond(reply(issues));
    const auto answer = begin(api, reader, call, std::move(options));
    call.respond(answer ? reply(*answer) : reply(answer.error()));
}

void begin_batch(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    std::vector<std::string> invalid;
    auto options = read_batch_request(call.body, issues, invalid);
    check_model(api, options, "formats", issues);
    if (!issues.empty()) return call.respond(reply(issues));
    const json::value* batch = call.body.if_contains("appendToId");
    const bool is_for_more = batch && batch->is_string();
    auto answer =
        is_for_more ? append(api, reader, call, options) : begin(api, reader, call, std::move(options));
    if (!answer && is_for_more && answer.error().code == ErrorCode::invalid_argument)
        return call.respond(
            reply(std::vector<Issue>{{.path = "appendToId", .message = "is no id of a batch"}}));
    if (!answer) return call.respond(reply(answer.error()));
    json::array left_out;
    for (const std::string& url : invalid) left_out.emplace_back(url);
    (*answer)["invalidURLs"] = std::move(left_out);
    call.respond(reply(*answer));
}

void show_crawl(Api& api, store::Reader& reader, Call call) {
    show(api, reader, std::move(call), crawl_kind);
}
void show_batch(Api& api, store::Reader& reader, Call call) {
    show(api, reader, std::move(call), batch_kind);
}
void show_crawl_errors(Api&, store::Reader& reader, Call call) {
    show_errors(reader, call, crawl_kind);
}
void show_batch_errors(Api&, store::Reader& reader, Call call) {
    show_errors(reader, call, batch_kind);
}
void cancel_crawl(Api& api, store::Reader& reader, Call call) {
    cancel(api, reader, call, crawl_kind);
}
void cancel_batch(Api& api, store::Reader& reader, Call call) {
    cancel(api, reader, call, batch_kind);
}

void list_active_crawls(Api&, store::Reader& reader, Call call) {
    constexpr int most = 1'000;
    const auto groups = reader.groups({.owner = call.owner,
                                       .states = {JobState::queued, JobState::running, JobState::paused},
                                       .limit = most});
    if (!groups) return call.respond(reply(groups.error()));
    json::array crawls;
    for (const Group& group : *groups) {
        if (group.kind != crawl_kind) continue;
        json::error_code error;
        json::value options = json::parse(group.options, error);
        crawl::hide_url_secrets(options);
        crawls.push_back(json::object{{"id", id_of(group, reader)},
                                      {"teamId", owner_uuid(group.owner)},
                                      {"url", group.name},
                                      {"created_at", iso_time(group.created_at)},
                                      {"options", error ? json::value(nullptr) : std::move(options)}});
    }
    call.respond(reply(json::object{{"success", true}, {"crawls", std::move(crawls)}}));
}

void preview_crawl_params(Api&, store::Reader&, Call call) {
    call.respond(
        reply_error(400, "NOT_IMPLEMENTED",
                    "finding crawl parameters from a prompt needs a language model, which this server "
                    "does not have: set includePaths, excludePaths and maxDiscoveryDepth yourself"));
}

}  // namespace quarry::api
