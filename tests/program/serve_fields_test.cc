// Every field of every JSON route of `quarry serve`, given values of every kind: either it is taken, or the
// answer names it. Nothing that a client sends is the server's fault.
#include <algorithm>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "program/slow_site.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

using Names = std::vector<std::string_view>;

// What a page may be asked for with, in all routes that fetch some.
const Names page_fields = {"formats",
                           "headers",
                           "includeTags",
                           "excludeTags",
                           "onlyMainContent",
                           "onlyCleanContent",
                           "timeout",
                           "waitFor",
                           "mobile",
                           "parsers",
                           "actions",
                           "location",
                           "skipTlsVerification",
                           "removeBase64Images",
                           "fastMode",
                           "blockAds",
                           "render",
                           "proxy",
                           "maxAge",
                           "minAge",
                           "storeInCache",
                           "lockdown",
                           "zeroDataRetention",
                           "redactPII",
                           "profile",
                           "threatProtection",
                           "auditMetadata",
                           "safeMode",
                           "useMock"};
const Names crawl_fields = {"url",
                            "includePaths",
                            "excludePaths",
                            "maxDiscoveryDepth",
                            "maxDepth",
                            "limit",
                            "sitemap",
                            "ignoreSitemap",
                            "ignoreQueryParameters",
                            "deduplicateSimilarURLs",
                            "crawlEntireDomain",
                            "allowBackwardLinks",
                            "allowSubdomains",
                            "allowExternalLinks",
                            "ignoreRobotsTxt",
                            "robotsUserAgent",
                            "regexOnFullURL",
                            "delay",
                            "maxConcurrency",
                            "webhook",
                            "scrapeOptions",
                            "prompt",
                            "zeroDataRetention",
                            "origin",
                            "integration"};
const Names batch_fields = {"urls",           "webhook",           "appendToId", "ignoreInvalidURLs",
                            "maxConcurrency", "zeroDataRetention", "origin",     "integration"};
const Names extract_fields = {"urls",
                              "prompt",
                              "schema",
                              "systemPrompt",
                              "allowExternalLinks",
                              "showSources",
                              "agent",
                              "ignoreInvalidURLs",
                              "webhook",
                              "enableWebSearch",
                              "scrapeOptions",
                              "origin",
                              "integration"};
const Names map_fields = {"url",
                          "search",
                          "sitemap",
                          "sitemapOnly",
                          "ignoreSitemap",
                          "includeSubdomains",
                          "ignoreQueryParameters",
                          "filterByPath",
                          "limit",
                          "timeout",
                          "location",
                          "origin",
                          "integration"};
const Names search_fields = {"query",
                             "limit",
                             "collection",
                             "sources",
                             "categories",
                             "includeDomains",
                             "excludeDomains",
                             "tbs",
                             "location",
                             "country",
                             "ignoreInvalidURLs",
                             "timeout",
                             "highlights",
                             "scrapeOptions",
                             "enterprise",
                             "threatProtection",
                             "domainTools",
                             "toolDetail",
                             "origin",
                             "integration"};

struct JsonRoute {
    std::string_view path;
    json::object good;  // a body that is taken
    Names fields;       // with the names of objects in front: "scrapeOptions.formats"
};

Names joined(const Names& some, const Names& others) {
    Names all = some;
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

// The fields of `scrapeOptions`.
Names inside_scrape_options() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> names;
        for (const std::string_view name : page_fields)
            names.push_back(fmt::format("scrapeOptions.{}", name));
        return names;
    }();
    return {texts.begin(), texts.end()};
}

std::vector<JsonRoute> json_routes(const std::string& url) {
    // What is stored is not fetched again.
    const json::object page{{"url", url}, {"maxAge", 3'600'000}}, question{{"query", "page"}};
    const json::object start{{"url", url}}, pages{{"urls", json::array{url}}};
    const json::object wanted{{"urls", json::array{url}}, {"schema", json::object{{"type", "object"}}}};
    return {
        {"/v2/scrape", page, joined(page_fields, {"url", "origin", "integration"})},
        {"/v2/crawl", start, joined(crawl_fields, inside_scrape_options())},
        {"/v2/batch/scrape", pages, joined(batch_fields, page_fields)},
        {"/v2/extract", wanted, extract_fields},
        {"/v2/map", start, map_fields},
        {"/v2/search", question, search_fields},
        {"/knowledge-items/crawl",
         start,
         {"url", "max_depth", "limit", "collection", "priority", "tags", "knowledge_type"}},
        {"/knowledge-items/search", question, {"query", "match_count", "source", "collection"}},
    };
}

// Values of every kind, none of which is a URL.
const std::vector<json::value>& values_of_every_kind() {
    static const std::vector<json::value> values = [] {
        std::vector<json::value> list;
        for (const std::string_view text :
             {"7", "-1", "1.5", "1e300", "18446744073709551615", "true", "null", "\"\"", "\"no such thing\"",
              "\"\\u0000\"", "\"a\\r\\nb: c\"", "[]", "[7]", "[{}]", "[\"no such thing\"]", "{}", "{\"a\":7}",
              "{\"a\\r\\nb\":\"c\"}"})
            list.push_back(json::parse(text));
        return list;
    }();
    return values;
}

// `good` with another value at the dotted name.
json::object with(json::object good, std::string_view name, const json::value& value) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
        good[name] = value;
        return good;
    }
    good[name.substr(0, dot)] = json::object{{name.substr(dot + 1), value}};
    return good;
}

// Whether a refusal says that it is for this field: by its name, or by one inside it.
bool names_field(const json::value& answer, std::string_view name) {
    const json::value* details = answer.as_object().if_contains("details");
    if (!details || !details->is_array()) return false;
    return std::ranges::any_of(details->get_array(), [&](const json::value& issue) {
        std::string path;
        for (const json::value& part : issue.at("path").as_array())
            path += (path.empty() ? "" : ".") + std::string(part.as_string());
        return path == name || path.starts_with(std::string(name) + ".");
    });
}

}  // namespace

TEST_CASE("a value of any kind in any field is taken, or refused by the field's name") {
    SlowSite site(1, 0ms);
    const DataHome home;
    Service service(home);
    int taken = 0, refused = 0;

    for (const JsonRoute& route : json_routes(site.url())) {
        for (const std::string_view name : route.fields) {
            for (const json::value& value : values_of_every_kind()) {
                const std::string body = json::serialize(with(route.good, name, value));
                const ApiAnswer answer = service.client.post(route.path, body);
                CAPTURE(route.path);
                CAPTURE(body);
                CAPTURE(answer.body);
                REQUIRE(answer.json().is_object());
                CHECK(answer.status < 500);
                CHECK(answer.status >= 200);
                answer.status == 400 ? ++refused : ++taken;
                if (answer.status == 400) CHECK(names_field(answer.json(), name));
            }
        }
        REQUIRE(service.client.get("/healthz").status == 200);
    }

    CHECK(taken > 1'000);
    CHECK(refused > 1'000);
    CHECK(service.stop() == 0);
}

TEST_CASE("keys that nobody knows are taken, wherever they stand") {
    SlowSite site(1, 0ms);
    const DataHome home;
    Service service(home);

    for (const JsonRoute& route : json_routes(site.url())) {
        for (const json::value& value : values_of_every_kind()) {
            json::object body = with(route.good, "nobodyKnowsThis", value);
            body["scrapeOptions"] = json::object{{"norThis", value}};
            const ApiAnswer answer = service.client.post(route.path, json::serialize(body));
            CAPTURE(route.path);
            CAPTURE(answer.body);
            CHECK(answer.status == 200);
            CHECK(answer.json().at("success") == true);
        }
    }
}
