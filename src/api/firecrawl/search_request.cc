#include "api/firecrawl/search.h"

#include <algorithm>

#include <boost/json.hpp>

#include "api/firecrawl/page_request.h"
#include "base/ascii.h"
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

}  // namespace quarry::api
