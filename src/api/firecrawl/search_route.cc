// Search of what is in the index, in the shape of a web search.
#include "api/fields.h"
#include "api/firecrawl/routes.h"
#include "api/reply.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

json::object web_hit(const search::Hit& hit, int position) {
    json::object web{{"url", hit.label.url},
                     {"title", hit.label.title},
                     {"description", hit.label.description},
                     {"position", position},
                     {"score", hit.score}};
    if (hit.passages.empty()) return web;
    const search::Passage& best = hit.passages.front();
    // What answers the question says more than what the page says of itself.
    web["description"] = best.snippet.text;
    web["passage"] = best.text;
    json::array headings;
    for (const std::string& heading : best.headings) headings.emplace_back(heading);
    web["headings"] = std::move(headings);
    return web;
}

search::SearchRequest read_search_request(const json::object& body, std::vector<Issue>& issues) {
    Fields fields(body, issues);
    search::SearchRequest request;
    request.query = fields.text("query").value_or("");
    if (request.query.empty()) fields.reject("query", "is missing");
    request.limit = static_cast<int>(fields.integer("limit", 1, 100).value_or(10));
    request.collection = fields.text("collection").value_or(request.collection);
    if (const auto hosts = fields.texts("includeDomains"); hosts && hosts->size() == 1)
        request.filter.host = hosts->front();
    return request;
}

void run(Api& api, const Call& call, const search::SearchRequest& request) {
    const auto answer = api.services().search(request);
    // What has not been indexed yet has no hits.
    const bool is_empty = !answer && answer.error().code == ErrorCode::not_found;
    if (!answer && !is_empty) return call.respond(reply(answer.error()));
    json::array web;
    int position = 0;
    if (answer)
        for (const search::Hit& hit : answer->hits) web.push_back(web_hit(hit, ++position));
    json::value data = json::object{{"web", web}};
    if (call.is_v1()) data = std::move(web);
    json::object body{
        {"success", true}, {"data", std::move(data)}, {"id", call.request_id}, {"creditsUsed", 0}};
    if (answer && !answer->warning.empty()) body["warning"] = answer->warning;
    call.respond(reply(body));
}

}  // namespace

void search_pages(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    auto request = read_search_request(call.body, issues);
    request.collection = call.collection(request.collection);
    if (!issues.empty()) return call.respond(reply(issues));
    api.post_slow(call,
                  [&api, call, request = std::move(request)](store::Reader&) { run(api, call, request); });
}

}  // namespace quarry::api
