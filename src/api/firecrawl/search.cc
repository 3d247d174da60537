#include "api/firecrawl/search.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>

#include <boost/json.hpp>

#include "api/firecrawl/document.h"
#include "api/firecrawl/page_request.h"
#include "api/firecrawl/routes.h"
#include "api/firecrawl/states.h"
#include "api/own/scope.h"
#include "api/server/fields.h"
#include "api/server/message.h"
#include "base/ascii.h"
#include "model/collection.h"
#include "url/url.h"

namespace quarry::api {

namespace {

namespace json = boost::json;

constexpr std::size_t most_domains = 20;

// "docs.a.example" is of "a.example".
bool is_of(std::string_view host, std::string_view domain) {
    if (!host.ends_with(domain)) return false;
    return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

// As people write them: "https://A.example/" too.
std::vector<std::string> read_domains(Fields& fields, std::string_view name) {
    std::vector<std::string> domains = fields.texts(name).value_or(std::vector<std::string>{});
    if (domains.size() > most_domains) fields.reject(name, "has more than 20 domains");
    for (std::string& domain : domains) {
        domain = lower_case(domain);
        if (const std::size_t scheme = domain.find("://"); scheme != std::string::npos)
            domain.erase(0, scheme + 3);
        domain.resize(std::min(domain.find('/'), domain.size()));
        if (domain.empty()) fields.reject(name, "has an empty domain");
    }
    return domains;
}

// ["web", {"type": "news"}]; pages are wanted if nothing is said.
bool read_wants_web(Fields& fields) {
    constexpr std::string_view known[] = {"web", "news", "images", "developer", "tools"};
    const json::array* sources = fields.array("sources");
    if (!sources || sources->empty()) return true;
    bool wants_web = false;
    for (const json::value& source : *sources) {
        const json::object* object = source.if_object();
        const json::value* type = object ? object->if_contains("type") : &source;
        if (!type || !type->is_string() ||
            std::ranges::find(known, std::string_view(type->get_string())) == std::end(known))
            fields.reject("sources", "has to be a list of web, news, images, developer and tools");
        wants_web = wants_web || (type && *type == "web");
    }
    return wants_web;
}

}  // namespace

SearchWish read_search_request(const json::object& body, std::vector<Issue>& issues) {
    constexpr std::int64_t shortest = 1'000, longest = 600'000;
    Fields fields(body, issues);
    SearchWish wish;
    wish.query = fields.text("query").value_or("");
    if (wish.query.empty()) fields.reject("query", "is missing");
    wish.limit = static_cast<int>(fields.integer("limit", 1, 100).value_or(10));
    wish.collection = fields.text("collection").value_or(wish.collection);
    wish.language = fields.text("lang").value_or("");
    wish.include_domains = read_domains(fields, "includeDomains");
    wish.exclude_domains = read_domains(fields, "excludeDomains");
    if (!wish.include_domains.empty() && !wish.exclude_domains.empty())
        fields.reject("excludeDomains", "cannot go with includeDomains");
    wish.wants_web = read_wants_web(fields);
    if (const auto timeout = fields.integer("timeout", shortest, longest))
        wish.timeout = std::chrono::milliseconds(*timeout);
    if (const json::object* page = fields.object("scrapeOptions")) {
        Fields inner(*page, issues, "scrapeOptions.");
        // Without formats nothing is wanted of the pages.
        crawl::CrawlOptions options = options_of_pages("scrape");
        read_page_wish(inner, options);
        const json::array* formats = page->contains("formats") ? page->at("formats").if_array() : nullptr;
        if (formats && !formats->empty()) wish.scrape = std::move(options);
    }
    return wish;
}

bool is_wanted(const SearchWish& wish, std::string_view address) {
    const auto url = url::Url::parse(address);
    const std::string host(url ? url->host() : std::string_view());
    const auto is_there = [&](const std::string& domain) { return is_of(host, domain); };
    if (!wish.include_domains.empty()) return std::ranges::any_of(wish.include_domains, is_there);
    return std::ranges::none_of(wish.exclude_domains, is_there);
}

// Search of what is in the index, and of the web where a search engine is configured, in the shape of a web
// search.

namespace {

namespace json = boost::json;

// On its way to the answer.
struct Search {
    Call call{};
    SearchWish wish{};
    std::vector<search::Hit> own{};
    std::vector<WebHit> web{};
    std::string warning{};
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::map<std::string, json::object> documents{};                        // by the address of the hit
    std::optional<std::stop_callback<std::function<void()>>> on_leaving{};  // of the client

    void warn(std::string_view sentence) {
        if (!warning.empty()) warning += "; ";
        warning += sentence;
    }
};

json::object web_hit(const search::Hit& hit) {
    json::object web{{"url", hit.label.url},
                     {"title", hit.label.title},
                     {"description", hit.label.description},
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

json::object web_hit(const WebHit& hit) {
    return {{"url", hit.url}, {"title", hit.title}, {"description", hit.description}};
}

// The index knows one domain at a time: each is asked for, and the best of all are taken.
std::vector<search::SearchRequest> requests_of(const SearchWish& wish) {
    constexpr int most = 100, spare = 3;
    search::SearchRequest request{.query = wish.query, .collection = wish.collection, .limit = wish.limit};
    // Some will be left out.
    if (!wish.exclude_domains.empty()) request.limit = std::min(most, wish.limit * spare);
    if (wish.include_domains.empty()) return {request};
    std::vector<search::SearchRequest> requests;
    for (const std::string& domain : wish.include_domains) {
        request.filter.host = domain;
        requests.push_back(request);
    }
    return requests;
}

Result<void> search_own(Api& api, Search& search) {
    for (const search::SearchRequest& request : requests_of(search.wish)) {
        auto answer = api.services().search(request);
        // What has not been indexed yet has no hits.
        if (!answer && answer.error().code == ErrorCode::not_found) continue;
        if (!answer) return std::unexpected(answer.error());
        if (!answer->warning.empty()) search.warn(answer->warning);
        for (search::Hit& hit : answer->hits)
            if (is_wanted(search.wish, hit.label.url)) search.own.push_back(std::move(hit));
    }
    if (search.wish.include_domains.size() > 1)
        std::ranges::stable_sort(search.own, std::greater(), &search::Hit::score);
    return {};
}

// What the index has as well is left out.
void search_web(Api& api, Search& search) {
    const SearchWish& wish = search.wish;
    const bool is_narrow = wish.include_domains.size() + wish.exclude_domains.size() > 0;
    WebQuestion question{.query = wish.query,
                         .limit = is_narrow ? 100u : static_cast<std::size_t>(wish.limit),
                         .timeout = wish.timeout,
                         .language = wish.language};
    if (wish.include_domains.size() == 1) question.query += " site:" + wish.include_domains.front();
    auto found = api.services().search_web(question);
    if (!found) return search.warn("the web was not searched: " + found.error().message);
    std::set<std::string> known;
    for (const search::Hit& hit : search.own) known.insert(hit.label.url);
    for (WebHit& hit : *found)
        if (is_wanted(wish, hit.url) && known.insert(hit.url).second) search.web.push_back(std::move(hit));
}

// Our own come first, but leave the web half of the room if it has as much to say.
void cut(Search& search) {
    const auto limit = static_cast<std::size_t>(search.wish.limit);
    const std::size_t room = limit - std::min(search.web.size(), limit / 2);
    if (search.own.size() > room) search.own.resize(room);
    const std::size_t rest = limit - search.own.size();
    if (search.web.size() > rest) search.web.resize(rest);
}

void note(Api& api, const Search& search, const std::string& error = {}) {
    const auto hits = std::ssize(search.own) + std::ssize(search.web);
    api.note(search.call, {.operation = "search",
                           .base_url = search.wish.collection,
                           .success = error.empty(),
                           .auto_index = false,
                           .counts = {.total_urls = hits,
                                      .completed_urls = hits,
                                      .duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::steady_clock::now() - search.started)},
                           .error = error});
}

void answer(Api& api, const Search& search) {
    json::array web;
    const auto add = [&](json::object hit) {
        const auto document = search.documents.find(std::string(hit.at("url").get_string()));
        if (document != search.documents.end())
            for (const auto& [name, value] : document->second) hit[name] = value;
        hit["position"] = web.size() + 1;
        web.push_back(std::move(hit));
    };
    for (const search::Hit& hit : search.own) add(web_hit(hit));
    for (const WebHit& hit : search.web) add(web_hit(hit));
    json::value data = json::object{{"web", web}};
    if (search.call.is_v1()) data = std::move(web);
    json::object body{
        {"success", true}, {"data", std::move(data)}, {"id", search.call.request_id}, {"creditsUsed", 0}};
    if (!search.warning.empty()) body["warning"] = search.warning;
    search.call.respond(reply(body));
    note(api, search);
}

// Of our own hits the words are there.
void read_own_documents(store::Reader& reader, Search& search) {
    for (const search::Hit& hit : search.own) {
        // By its number: how its address became its key only who wrote it knows.
        const auto read = reader.pages({.collection = search.wish.collection,
                                        .after = number(hit.page) - 1,
                                        .limit = 1,
                                        .with_content = true});
        if (!read || read->pages.empty()) continue;
        const StoredPage& page = read->pages.front();
        if (page.id == hit.page && page.content)
            search.documents[hit.label.url] = firecrawl_document(page, search.wish.scrape->formats);
    }
}

void read_scraped_documents(store::Reader& reader, GroupId group, Search& search) {
    const auto pages = reader.pages({.group = group, .limit = search.wish.limit, .with_content = true});
    if (!pages) return search.warn(pages.error().message);
    for (const StoredPage& page : pages->pages)
        search.documents[page.facts.url] = firecrawl_document(page, search.wish.scrape->formats,
                                                              {.origin = origin_of(search.call.request())});
}

// The pages of the web are fetched like any other that somebody waits for; what is not there in time is left
// out.
void scrape_web(Api& api, store::Reader& reader, const std::shared_ptr<Search>& search) {
    crawl::CrawlOptions options = *search->wish.scrape;
    for (const WebHit& hit : search->web) options.urls.push_back(hit.url);
    options.limit = std::ssize(options.urls);
    const auto group = api.begin_crawl(reader, search->call, options);
    if (!group) {
        search->warn("the pages were not scraped: " + group.error().message);
        return answer(api, *search);
    }
    const auto until = std::chrono::steady_clock::now() + search->wish.timeout;
    search->on_leaving.emplace(search->call.exchange->gone(), api.cancelling(search->call, *group));
    api.live().when_over(*group, until, [&api, search, group = *group](bool is_over) {
        api.post(search->call, [&api, search, group, is_over](store::Reader& later) {
            if (!is_over) (void)api.services().cancel(group);
            read_scraped_documents(later, group, *search);
            answer(api, *search);
        });
    });
    // It may have been so quick that nobody listened yet.
    if (const auto now = reader.group(*group); now && now->is_over()) api.live().tell_over(*group);
}

void finish(Api& api, store::Reader& reader, const std::shared_ptr<Search>& search) {
    cut(*search);
    if (!search->wish.scrape) return answer(api, *search);
    read_own_documents(reader, *search);
    if (search->web.empty()) return answer(api, *search);
    scrape_web(api, reader, search);
}

// A name that was mistyped finds nothing either.
Result<void> check_collection(store::Reader& reader, const Search& search) {
    if (!search.own.empty() || !search.call.body.contains("collection")) return {};
    if (TRY(reader.collection(search.wish.collection))) return {};
    return std::unexpected(no_such_collection(plain_collection(search.call.owner, search.wish.collection),
                                              TRY(own::own_collections(reader, search.call))));
}

void run(Api& api, store::Reader& reader, const std::shared_ptr<Search>& search) {
    if (search->call.exchange->gone().stop_requested()) return;
    if (const auto found = search_own(api, *search); !found) {
        search->call.respond(reply(found.error(), "query"));
        return note(api, *search, found.error().message);
    }
    if (const auto known = check_collection(reader, *search); !known) {
        search->call.respond(reply(known.error()));
        return note(api, *search, known.error().message);
    }
    if (!search->wish.wants_web || !api.services().search_web) return finish(api, reader, search);
    api.post_outside(search->call, [&api, search](store::Reader& later) {
        search_web(api, *search);
        finish(api, later, search);
    });
}

}  // namespace

void search_pages(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    auto wish = read_search_request(call.body, issues);
    wish.collection = call.collection(wish.collection);
    if (!issues.empty()) return call.respond(reply(issues));
    const auto search = std::make_shared<Search>(call, std::move(wish));
    api.post_slow(call, [&api, search](store::Reader& reader) { run(api, reader, search); });
}

}  // namespace quarry::api
