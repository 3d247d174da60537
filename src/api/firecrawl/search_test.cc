#include "api/firecrawl/search.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace quarry;
using namespace quarry::api;
namespace json = boost::json;

namespace {

SearchWish wish_in(std::string_view body) {
    std::vector<Issue> issues;
    const SearchWish wish = read_search_request(json::parse(body).as_object(), issues);
    for (const Issue& issue : issues) FAIL_CHECK(issue.path << " " << issue.message);
    return wish;
}

std::size_t issues_of(std::string_view body) {
    std::vector<Issue> issues;
    read_search_request(json::parse(body).as_object(), issues);
    return issues.size();
}

}  // namespace

TEST_CASE("pages are searched for unless only other things are asked for") {
    CHECK(wish_in(R"({"query":"q"})").wants_web);
    CHECK(wish_in(R"({"query":"q","sources":[]})").wants_web);
    CHECK(wish_in(R"({"query":"q","sources":["news","web"]})").wants_web);
    CHECK(wish_in(R"({"query":"q","sources":[{"type":"web"}]})").wants_web);
    CHECK_FALSE(wish_in(R"({"query":"q","sources":["images"]})").wants_web);
    CHECK_FALSE(wish_in(R"({"query":"q","sources":[{"type":"news"}]})").wants_web);
    for (const char* wrong : {"7", "null", "\"pages\"", "{}"})
        CHECK(issues_of(fmt::format(R"({{"query":"q","sources":[{}]}})", wrong)) == 1);
}

TEST_CASE("pages found are read only in the forms that are asked for") {
    CHECK_FALSE(wish_in(R"({"query":"q"})").scrape);
    CHECK_FALSE(wish_in(R"({"query":"q","scrapeOptions":{}})").scrape);
    CHECK_FALSE(wish_in(R"({"query":"q","scrapeOptions":{"formats":[]}})").scrape);
    const auto scrape = wish_in(R"({"query":"q","scrapeOptions":{"formats":["html"]}})").scrape;
    REQUIRE(scrape);
    CHECK(scrape->formats.html);
    CHECK_FALSE(scrape->formats.markdown);
    CHECK(scrape->kind == "scrape");
}

TEST_CASE("hits are of the domains that are wanted, with their subdomains") {
    struct Row {
        const char* request;
        const char* url;
        bool is_wanted;
    };
    const char* const included = R"({"query":"q","includeDomains":["A.example","https://b.example/x"]})";
    const char* const excluded = R"({"query":"q","excludeDomains":["a.example"]})";
    const Row rows[] = {
        {R"({"query":"q"})", "https://a.example/", true},
        {included, "https://a.example/x", true},
        {included, "https://docs.a.example/", true},
        {included, "https://b.example/", true},
        {included, "https://ba.example/", false},
        {included, "https://c.example/", false},
        {included, "no address", false},
        {excluded, "https://docs.a.example/", false},
        {excluded, "https://ba.example/", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request);
        CAPTURE(row.url);
        CHECK(is_wanted(wish_in(row.request), row.url) == row.is_wanted);
    }
}

TEST_CASE("a search that cannot be is refused") {
    CHECK(issues_of(R"({})") == 1);
    CHECK(issues_of(R"({"query":"q","limit":0})") == 1);
    CHECK(issues_of(R"({"query":"q","includeDomains":["a"],"excludeDomains":["b"]})") == 1);
    CHECK(issues_of(R"({"query":"q","includeDomains":[""]})") == 1);
    CHECK(issues_of(R"({"query":"q","scrapeOptions":{"formats":["nothing"]}})") == 1);
    CHECK(issues_of(R"({"query":"q","timeout":1})") == 1);
}
