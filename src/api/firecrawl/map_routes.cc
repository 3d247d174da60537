// The pages of a site, without fetching them all.
#include <algorithm>
#include <set>
#include <thread>

#include <boost/json.hpp>

#include "api/firecrawl/routes.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "base/threads.h"
#include "url/url.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

struct MapRequest {
    MapQuestion question{};
    std::chrono::milliseconds timeout{60'000};
    bool ignore_query = true;
};

MapRequest read_map_request(const json::object& body, std::vector<Issue>& issues) {
    constexpr std::int64_t most_links = 100'000;
    Fields fields(body, issues);
    MapRequest request;
    request.question.url = fields.url("url").value_or("");
    if (const auto limit = fields.integer("limit", 1, most_links))
        request.question.limit = static_cast<std::size_t>(*limit);
    request.question.search = fields.text("search").value_or("");
    request.question.subdomains = fields.flag("includeSubdomains").value_or(true);
    request.ignore_query = fields.flag("ignoreQueryParameters").value_or(true);
    const auto sitemap = fields.text("sitemap");
    if (sitemap == "only" || fields.flag("sitemapOnly") == true)
        request.question.sitemap = crawl::SitemapUse::only;
    else if (sitemap == "skip" || fields.flag("ignoreSitemap") == true)
        request.question.sitemap = crawl::SitemapUse::skip;
    else if (sitemap && sitemap != "include")
        fields.reject("sitemap", "has to be include, skip or only");
    if (const auto timeout = fields.integer("timeout", 1'000, 3'600'000))
        request.timeout = std::chrono::milliseconds(*timeout);
    return request;
}

json::array links_of(const SiteMap& map, bool ignore_query) {
    json::array links;
    std::set<std::string> seen;
    for (const SiteMap::Page& page : map.pages) {
        std::string url = page.url;
        if (ignore_query) url.resize(std::min(url.find('?'), url.size()));
        if (!seen.insert(url).second) continue;
        json::object link{{"url", url}};
        if (!page.title.empty()) link["title"] = page.title;
        links.push_back(std::move(link));
    }
    return links;
}

void note(Api& api, const Call& call, const MapRequest& request, const SiteMap& map,
          std::chrono::steady_clock::time_point started) {
    using std::chrono::milliseconds;
    const auto found = std::ssize(map.pages);
    api.note(call, {.operation = "map",
                    .base_url = url::without_secrets(request.question.url),
                    .success = !map.error,
                    .auto_index = false,
                    .counts = {.total_urls = found,
                               .completed_urls = found,
                               .duration = std::chrono::duration_cast<milliseconds>(
                                   std::chrono::steady_clock::now() - started)},
                    .error = map.error ? map.error->message : ""});
}

void run(Api& api, const Call& call, const MapRequest& request) {
    std::stop_source late;
    const std::stop_callback leaving(api.stopping(), [&late] { late.request_stop(); });
    const std::stop_callback leaving_client(call.exchange->gone(), [&late] { late.request_stop(); });
    const std::jthread clock([&](std::stop_token answered) {
        if (pause_for(request.timeout, answered)) late.request_stop();
    });
    const auto started = std::chrono::steady_clock::now();
    const SiteMap map = api.services().map(request.question, late.get_token());
    note(api, call, request, map, started);
    if (late.stop_requested() && map.pages.empty())
        return call.respond(
            reply_error(408, "MAP_TIMEOUT", "the map took longer than the timeout of the request"));
    if (map.error) return call.respond(reply(*map.error));
    json::object answer{{"success", true}, {"links", links_of(map, request.ignore_query)}};
    if (call.is_v1())
        for (json::value& link : answer["links"].get_array()) link = json::value(link.at("url"));
    if (!map.warning.empty()) answer["warning"] = map.warning;
    call.respond(reply(answer));
}

}  // namespace

void map_site(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    MapRequest request = read_map_request(call.body, issues);
    if (!issues.empty()) return call.respond(reply(issues));
    request.question.owner = call.owner;
    api.post_outside(call,
                     [&api, call, request = std::move(request)](store::Reader&) { run(api, call, request); });
}

}  // namespace quarry::api
