// All routes, in one place. A path that others share a beginning with comes before those with names in it.
#include "api/firecrawl/routes.h"

#include "api/change_events.h"
#include "api/knowledge/routes.h"
#include "api/metrics_route.h"
#include "api/openapi.h"
#include "api/reply.h"
#include "api/route.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

void say_alive(Api&, store::Reader&, Call call) {
    call.respond({.content_type = "text/plain", .body = "ok\n"});
}

// Alive, and the store can be read.
void say_ready(Api&, store::Reader& reader, Call call) {
    const auto workers = reader.workers();
    call.respond(workers ? Response{.content_type = "text/plain", .body = "ready\n"}
                         : reply(workers.error()));
}

void describe(Api& api, store::Reader&, Call call) {
    call.respond(reply(openapi_of(all_routes(), api.services().version)));
}

constexpr auto get = Method::get;
constexpr auto post = Method::post;
constexpr auto del = Method::del;
constexpr auto json_body = BodyKind::json;
constexpr auto form_body = BodyKind::bytes;

// What clients ask for again and again.
constexpr Route polled(std::string_view path, std::string_view summary, decltype(Route::run) run) {
    return {get, path, summary, run, BodyKind::none, Access::key, Sharing::moment};
}

constexpr Route table[] = {
    {get, "/healthz", "Whether the server lives", say_alive, BodyKind::none, Access::open},
    {get, "/readyz", "Whether it can work", say_ready, BodyKind::none, Access::open},

    {get, "/metrics", "Counts for Prometheus", show_metrics},
    {get, "/openapi.json", "This description", describe, BodyKind::none, Access::open},

    {post, "/v2/scrape", "Fetch one page and give its words", scrape_page, json_body},
    {post, "/v2/parse", "Give the words of a file that is sent along", parse_file, form_body},
    {get, "/v2/scrape/{id}", "The document of a scrape", show_scrape},
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

    // As old clients know it: the same answers, but for the shapes of a map and a search.
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

    {post, "/v2/extract", "Needs a language model, which is not here", refuse_extract, json_body},
    {get, "/v2/extract/{id}", "Needs a language model, which is not here", refuse_extract},
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
