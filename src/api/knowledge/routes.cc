#include "api/knowledge/routes.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/fields.h"
#include "api/firecrawl/groups.h"
#include "api/knowledge/progress.h"
#include "api/reply.h"
#include "model/job.h"
#include "url/url.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

int priority_of(std::int64_t wished) {
    if (wished > 0) return priority_high;
    return wished < 0 ? priority_low : priority_normal;
}

crawl::CrawlOptions read_request(const json::object& body, std::vector<Issue>& issues) {
    constexpr std::int64_t deepest = 1'000, most_pages = 1'000'000, most_priority = 1'000'000;
    crawl::CrawlOptions options;
    Fields fields(body, issues);
    if (auto url = fields.url("url")) options.urls = {*std::move(url)};
    if (const auto depth = fields.integer("max_depth", 0, deepest))
        options.max_depth = static_cast<int>(*depth);
    options.limit = fields.integer("limit", 1, most_pages).value_or(options.limit);
    options.collection = fields.text("collection").value_or(options.collection);
    options.priority = priority_of(fields.integer("priority", -most_priority, most_priority).value_or(0));
    return options;
}

// {"success", "progressId", …}: the crawl's id is what its progress is asked by.
Response begin(Api& api, store::Reader& reader, const Call& call, crawl::CrawlOptions options) {
    const auto id = api.begin_crawl(reader, call, std::move(options));
    if (!id) return reply(id.error());
    const auto group = reader.group(*id);
    if (!group) return reply(group.error());
    const std::string name = id_of(*group, reader);
    return reply(json::object{{"success", true},
                              {"progressId", name},
                              {"job_id", name},
                              {"message", "Crawl started"},
                              {"estimatedDuration", nullptr}});
}

// The last crawl of a source: by its id, its start URL, or the host of that.
Result<Group> find_source(store::Reader& reader, const Call& call) {
    if (auto group = find_group(reader, call, "crawl")) return group;
    constexpr int most = 1'000;
    const std::string& source = call.values.at(0);
    for (Group& group : TRY(reader.groups({.owner = call.owner, .limit = most}))) {
        const auto url = url::Url::parse(group.name);
        if (group.kind == "crawl" && (group.name == source || (url && url->host() == source)))
            return std::move(group);
    }
    return fail(ErrorCode::not_found, "there is no such source");
}

void run_search(Api& api, const Call& call, const search::SearchRequest& request) {
    const auto answer = api.services().search(request);
    const bool is_empty = !answer && answer.error().code == ErrorCode::not_found;
    if (!answer && !is_empty) return call.respond(reply(answer.error(), "query"));
    json::array results;
    if (answer)
        for (const search::Hit& hit : answer->hits)
            results.push_back(json::object{{"url", hit.label.url},
                                           {"title", hit.label.title},
                                           {"content", hit.passages.empty() ? "" : hit.passages.front().text},
                                           {"score", hit.score}});
    call.respond(reply(json::object{{"success", true}, {"results", std::move(results)}}));
}

}  // namespace

void crawl_knowledge(Api& api, store::Reader& reader, Call call) {
    std::vector<Issue> issues;
    auto options = read_request(call.body, issues);
    if (!issues.empty()) return call.respond(reply(issues));
    call.respond(begin(api, reader, call, std::move(options)));
}

void show_progress(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, "crawl");
    if (!group) return call.respond(reply(group.error()));
    if (call.request().header("accept").find("text/event-stream") != std::string_view::npos)
        return follow_progress(api, *group, call);
    call.respond(reply(progress_of(reader, *group)));
}

void stop_knowledge_crawl(Api& api, store::Reader& reader, Call call) {
    const auto group = find_group(reader, call, "crawl");
    if (!group) return call.respond(reply(group.error()));
    const auto cancelled = api.services().cancel(group->id);
    if (!cancelled) return call.respond(reply(cancelled.error()));
    call.respond(reply(json::object{
        {"success", true}, {"progressId", id_of(*group, reader)}, {"message", "Crawl stopped"}}));
}

void refresh_knowledge(Api& api, store::Reader& reader, Call call) {
    const auto group = find_source(reader, call);
    if (!group) return call.respond(reply(group.error()));
    auto options = crawl::options_of(*group);
    call.respond(options ? begin(api, reader, call, *std::move(options)) : reply(options.error()));
}

void search_knowledge(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    search::SearchRequest request;
    request.query = fields.text("query").value_or("");
    if (request.query.empty()) fields.reject("query", "is missing");
    request.limit = static_cast<int>(fields.integer("match_count", 1, 100).value_or(5));
    request.filter.host = fields.text("source").value_or("");
    request.collection = call.collection(fields.text("collection").value_or(request.collection));
    if (!issues.empty()) return call.respond(reply(issues));
    api.post_slow(call, [&api, call, request](store::Reader&) { run_search(api, call, request); });
}

}  // namespace quarry::api
