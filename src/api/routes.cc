#include "api/routes.h"

#include <algorithm>
#include <string>

#include <boost/json.hpp>

#include "api/firecrawl/routes.h"
#include "api/knowledge/routes.h"
#include "api/monitoring.h"
#include "api/own/routes.h"
#include "api/server/message.h"
#include "url/percent.h"

namespace quarry::api {

namespace {

// The values of the names in the shape, if the path matches it.
std::optional<std::vector<std::string>> match(std::string_view shape, std::string_view path) {
    std::vector<std::string> values;
    while (!shape.empty() && !path.empty()) {
        if (shape.front() != path.front() && shape.front() != '{') return std::nullopt;
        if (shape.front() != '{') {
            shape.remove_prefix(1);
            path.remove_prefix(1);
            continue;
        }
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end == 0) return std::nullopt;
        values.push_back(url::percent_decoded(path.substr(0, end)));
        path.remove_prefix(end);
        shape.remove_prefix(shape.find('}') + 1);
    }
    if (!shape.empty() || !path.empty()) return std::nullopt;
    return values;
}

}  // namespace

Found find_route(std::span<const Route> routes, Method method, std::string_view path) {
    // A slash at the end is ignored.
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    Found found;
    for (const Route& route : routes) {
        auto values = match(route.path, path);
        if (!values) continue;
        const bool is_meant =
            route.method == method || (method == Method::head && route.method == Method::get);
        if (is_meant) return {.route = &route, .values = *std::move(values)};
        if (std::ranges::find(found.allowed, route.method) == found.allowed.end())
            found.allowed.push_back(route.method);
    }
    return found;
}

namespace {

namespace json = boost::json;

std::string lower_name_of(Method method) {
    std::string name(name_of(method));
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    return name;
}

// One parameter for each {name} in the path.
json::array parameters_of(std::string_view path) {
    json::array parameters;
    for (std::size_t begin = path.find('{'); begin != std::string_view::npos;
         begin = path.find('{', begin + 1))
        parameters.push_back(json::object{{"name", path.substr(begin + 1, path.find('}', begin) - begin - 1)},
                                          {"in", "path"},
                                          {"required", true},
                                          {"schema", json::object{{"type", "string"}}}});
    return parameters;
}

json::object content_of(std::string_view type, std::string_view schema) {
    return {{"content", json::object{{type, json::object{{"schema", json::object{{"type", schema}}}}}}}};
}

json::object operation_of(const Route& route) {
    json::object answer = content_of("application/json", "object");
    answer["description"] = "Done; an error is {success: false, code, error}";
    json::object operation{{"summary", route.summary},
                           {"responses", json::object{{"200", std::move(answer)}}}};
    if (json::array parameters = parameters_of(route.path); !parameters.empty())
        operation["parameters"] = std::move(parameters);
    if (route.body == BodyKind::json) operation["requestBody"] = content_of("application/json", "object");
    if (route.body == BodyKind::bytes) operation["requestBody"] = content_of("multipart/form-data", "object");
    return operation;
}

}  // namespace

json::object openapi_of(std::span<const Route> routes, std::string_view version) {
    json::object paths;
    for (const Route& route : routes) {
        json::value& path = paths[route.path];
        if (!path.is_object()) path = json::object();
        path.get_object()[lower_name_of(route.method)] = operation_of(route);
    }
    return {{"openapi", "3.1.0"},
            {"info", json::object{{"title", "quarry"}, {"version", version}}},
            {"paths", std::move(paths)}};
}

// All routes in one table. A path without names comes before a path with names that would match it too.

namespace {

namespace json = boost::json;

void say_alive(Api&, store::Reader&, Call call) {
    call.respond({.content_type = "text/plain", .body = "ok\n"});
}

// The server is ready if the store can be read and worked on.
void say_ready(Api& api, store::Reader& reader, Call call) {
    // The error names hosts and paths, which clients without a key must not see.
    const auto trouble = trouble_of_store(api, reader);
    if (!trouble) {
        const auto& asked = api.services().write_trouble;
        const auto of_writing = asked ? asked() : std::nullopt;
        std::string says = of_writing ? "ready to read, not to write" : "ready";
        if (of_writing && api.knows(call)) says += ": " + of_writing->message;
        return call.respond({.content_type = "text/plain", .body = says + "\n"});
    }
    call.respond(api.knows(call)
                     ? reply(*trouble)
                     : reply(Error{trouble->code, "the store cannot be worked on at the moment"}));
}

void describe(Api& api, store::Reader&, Call call) {
    call.respond(reply(openapi_of(all_routes(), api.services().version)));
}

constexpr auto get = Method::get;
constexpr auto post = Method::post;
constexpr auto put = Method::put;
constexpr auto del = Method::del;
constexpr auto json_body = BodyKind::json;
constexpr auto form_body = BodyKind::bytes;

// A route that clients poll.
constexpr Route polled(std::string_view path, std::string_view summary, decltype(Route::run) run) {
    return {get, path, summary, run, BodyKind::none, Access::key, Sharing::moment};
}

constexpr Route table[] = {
    {get, "/healthz", "Whether the server lives", say_alive, BodyKind::none, Access::open},
    {get, "/readyz", "Whether it can work", say_ready, BodyKind::none, Access::open},

    {get, "/metrics", "Counts for Prometheus", show_metrics, BodyKind::none, Access::operator_only},
    {get, "/openapi.json", "This description", describe, BodyKind::none, Access::open},

    {post, "/v2/scrape", "Fetch one page and give its words", scrape_page, json_body},
    {post, "/v2/parse", "Give the words of a file that is sent along", parse_file, form_body},
    {get, "/v2/scrape/{id}", "The document of a scrape", show_scrape},
    {get, "/v2/media/{name}", "A picture of a page, by the name it was given", show_media, BodyKind::none,
     Access::open},
    {post, "/v2/crawl", "Begin a crawl", begin_crawl, json_body},
    polled("/v2/crawl/active", "Crawls that run", list_active_crawls),
    polled("/v2/crawl/ongoing", "Crawls that run", list_active_crawls),
    {post, "/v2/crawl/params-preview", "Parameters from a prompt", preview_crawl_params, json_body},
    polled("/v2/crawl/{id}", "How far a crawl is, with its documents; or a WebSocket", show_crawl),
    {del, "/v2/crawl/{id}", "Cancel a crawl", cancel_crawl},
    {get, "/v2/crawl/{id}/errors", "What a crawl could not fetch", show_crawl_errors},
    {post, "/v2/batch/scrape", "Fetch many pages", begin_batch, json_body},
    polled("/v2/batch/scrape/{id}", "How far a batch is, with its documents; or a WebSocket", show_batch),
    {del, "/v2/batch/scrape/{id}", "Cancel a batch", cancel_batch},
    {get, "/v2/batch/scrape/{id}/errors", "What a batch could not fetch", show_batch_errors},
    {post, "/v2/map", "List the pages of a site", map_site, json_body},
    {post, "/v2/search", "Search the index", search_pages, json_body},

    {get, "/v2/team/credit-usage", "Credits, of which there are plenty", show_credit_usage},
    {get, "/v2/team/credit-usage/historical", "Credits used by month", show_credit_history},
    {get, "/v2/team/token-usage", "Tokens, of which there are plenty", show_token_usage},
    {get, "/v2/team/token-usage/historical", "Tokens used by month", show_token_history},
    polled("/v2/team/queue-status", "How much waits and runs", show_queue_status),
    polled("/v2/concurrency-check", "How much runs", show_concurrency),

    // Routes for old clients: the same answers, except for the shapes of a map and a search.
    {post, "/v1/scrape", "Fetch one page and give its words", scrape_page, json_body},
    {post, "/v1/crawl", "Begin a crawl", begin_crawl, json_body},
    polled("/v1/crawl/active", "Crawls that run", list_active_crawls),
    polled("/v1/crawl/{id}", "How far a crawl is, with its documents; or a WebSocket", show_crawl),
    {del, "/v1/crawl/{id}", "Cancel a crawl", cancel_crawl},
    {get, "/v1/crawl/{id}/errors", "What a crawl could not fetch", show_crawl_errors},
    {post, "/v1/batch/scrape", "Fetch many pages", begin_batch, json_body},
    polled("/v1/batch/scrape/{id}", "How far a batch is, with its documents; or a WebSocket", show_batch),
    {del, "/v1/batch/scrape/{id}", "Cancel a batch", cancel_batch},
    {get, "/v1/batch/scrape/{id}/errors", "What a batch could not fetch", show_batch_errors},
    {post, "/v1/map", "List the pages of a site", map_site, json_body},
    {post, "/v1/search", "Search the index", search_pages, json_body},
    {get, "/v1/team/credit-usage", "Credits, of which there are plenty", show_credit_usage},
    {get, "/v1/team/token-usage", "Tokens, of which there are plenty", show_token_usage},
    polled("/v1/team/queue-status", "How much waits and runs", show_queue_status),

    {post, "/knowledge-items/crawl", "Begin a crawl", crawl_knowledge, json_body},
    {post, "/knowledge-items/search", "Search the index", search_knowledge, json_body},
    {post, "/knowledge-items/stop/{id}", "Cancel a crawl", stop_knowledge_crawl},
    {post, "/knowledge-items/{source}/refresh", "Crawl a source again", refresh_knowledge},
    polled("/crawl-progress/{id}", "How far a crawl is, once or as events", show_progress),

    {post, "/api/v1/change-events", "Fetch and index a page again, because it has changed", take_change_event,
     json_body},
    {get, "/api/v1/change-events", "Changes that were told, and what became of them", list_change_events},

    {post, "/v2/extract", "Begin to extract data from pages", begin_extract, json_body},
    {get, "/v2/extract/{id}", "How far an extraction is, with its data", show_extract},
    // quarry's own routes.
    {get, "/api/v1/server", "Which server this is", own::show_server},
    {post, "/api/v1/search", "Search the index", own::search, json_body},
    {post, "/api/v1/search/batch", "Search the index for many things", own::search_many, json_body},
    {get, "/api/v1/events", "What happens, as server-sent events", own::stream_events},
    {get, "/api/v1/crawls", "Crawls, the newest first", own::list_crawls},
    {post, "/api/v1/crawls", "Begin a crawl", own::begin_crawl, json_body},
    {get, "/api/v1/crawls/{id}", "How far a crawl is", own::show_crawl},
    {post, "/api/v1/crawls/{id}/cancel", "Cancel a crawl", own::cancel_crawl},
    {post, "/api/v1/crawls/{id}/pause", "Let a crawl rest", own::pause_crawl},
    {post, "/api/v1/crawls/{id}/resume", "Let a crawl go on", own::resume_crawl},
    {post, "/api/v1/crawls/{id}/embed", "Index what is not in the index yet, now", own::embed_crawl},
    {post, "/api/v1/crawls/{id}/reprioritise", "Give a crawl another priority", own::reprioritise_crawl,
     json_body},
    {get, "/api/v1/crawls/{id}/urls", "URLs that a crawl found", own::list_crawl_urls},
    {get, "/api/v1/crawls/{id}/documents", "Documents of a crawl, as it saw them", own::list_crawl_documents},
    {get, "/api/v1/crawls/{id}/timings", "Where the time of a crawl went", own::show_crawl_timings},
    {get, "/api/v1/schedules", "Crawls that come again and again", own::list_schedules},
    {put, "/api/v1/schedules/{name}", "Crawl something again and again", own::set_schedule, json_body},
    {del, "/api/v1/schedules/{name}", "Crawl it no more", own::remove_schedule},
    {get, "/api/v1/jobs", "Jobs behind crawls and the index", own::list_jobs},
    {get, "/api/v1/jobs/{id}", "One job", own::show_job},
    {get, "/api/v1/queue", "Jobs counted by kind, collection and state", own::count_jobs},
    {post, "/api/v1/queue/retry", "Try jobs again", own::retry_jobs, json_body},
    {post, "/api/v1/queue/cancel", "Cancel jobs", own::cancel_jobs, json_body},
    {post, "/api/v1/queue/pause", "Let queued jobs rest", own::pause_jobs, json_body},
    {post, "/api/v1/queue/resume", "Let paused jobs go on", own::resume_jobs, json_body},
    {post, "/api/v1/queue/clear", "Remove jobs that do not run", own::clear_jobs, json_body},
    {post, "/api/v1/queue/process", "Have the next pages embedded now, and wait for it", own::process_queue,
     json_body},
    {get, "/api/v1/embedding-queue", "How much waits to be embedded and indexed", own::show_embedding_queue},
    {get, "/api/v1/embedding-queue/jobs", "What waits, with errors", own::list_embedding_jobs},
    {post, "/api/v1/embedding-queue/process", "Have the next pages embedded now, and wait for it",
     own::process_queue, json_body},
    {post, "/api/v1/embedding-queue/retry", "Try what failed again", own::retry_embedding_jobs, json_body},
    {post, "/api/v1/embedding-queue/clear", "Remove what is done", own::clear_embedding_jobs, json_body},
    {get, "/api/v1/collections", "Named sets of documents", own::list_collections},
    {get, "/api/v1/index", "What the index has of each collection", own::show_index},
    {get, "/api/v1/collections/{name}", "One collection", own::show_collection},
    {put, "/api/v1/collections/{name}", "Begin a collection, or give it another embedder",
     own::set_collection, json_body},
    {del, "/api/v1/collections/{name}", "Delete a collection with its documents", own::remove_collection},
    {del, "/api/v1/collections/{name}/vectors", "Drop the vectors of a collection", own::drop_vectors},
    {get, "/api/v1/collections/{name}/document", "A document by its URL, with its words", own::show_document},
    {get, "/api/v1/collections/{name}/chunks", "Chunks of a document", own::list_chunks},
    {get, "/api/v1/documents", "Documents, page by page", own::list_documents},
    {post, "/api/v1/documents", "Write documents", own::write_documents, json_body},
    {post, "/api/v1/documents/forget", "Delete documents for good", own::forget_documents, json_body},
    {post, "/api/v1/documents/reindex", "Index documents again", own::index_again, json_body},
    {get, "/api/v1/sessions", "What was done, with times and counts", own::list_sessions},
    {get, "/api/v1/sessions/days", "What was done, by day", own::list_session_days},
    {get, "/api/v1/operations", "What the index did for pages", own::list_operations},
    {get, "/api/v1/operations/days", "What the index did, by day", own::list_operation_days},
    {get, "/api/v1/requests", "What was asked", own::list_requests},
    {get, "/api/v1/requests/days", "What was asked, by day", own::list_request_days},
    {get, "/api/v1/workers", "Processes that work", own::list_workers, BodyKind::none, Access::operator_only},

    {post, "/v2/agent", "Only in Firecrawl's cloud", refuse_cloud_only, json_body},
    {get, "/v2/agent/{id}", "Only in Firecrawl's cloud", refuse_cloud_only},
    {post, "/v2/browser", "Only in Firecrawl's cloud", refuse_cloud_only, json_body},
    {get, "/v2/browser", "Only in Firecrawl's cloud", refuse_cloud_only},
    {post, "/v2/scrape/{id}/interact", "Only in Firecrawl's cloud", refuse_cloud_only, json_body},
    {del, "/v2/scrape/{id}/interact", "Only in Firecrawl's cloud", refuse_cloud_only},
    {get, "/v2/search/developer", "Only in Firecrawl's cloud", refuse_cloud_only},
    {post, "/v2/search/developer", "Only in Firecrawl's cloud", refuse_cloud_only, json_body},
    {post, "/v2/monitor", "Only in Firecrawl's cloud", refuse_cloud_only, json_body},
    {get, "/v2/monitor", "Only in Firecrawl's cloud", refuse_cloud_only},
};

}  // namespace

std::span<const Route> all_routes() {
    return table;
}

}  // namespace quarry::api
