#include "api/firecrawl/page_request.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

json::object parsed(std::string_view text) {
    return json::parse(text).as_object();
}

// What is wrong with a request; "" if nothing is.
std::string wrong_with(std::string_view body) {
    std::vector<Issue> issues;
    read_crawl_request(parsed(body), issues);
    std::string all;
    for (const Issue& issue : issues) all += issue.path + " " + issue.message + "\n";
    return all;
}

}  // namespace

TEST_CASE("a crawl has the options that it was asked for, and Firecrawl's defaults") {
    std::vector<Issue> issues;
    const auto options = read_crawl_request(
        parsed(R"({"url":"docs.example.com/guide","limit":7,"maxDiscoveryDepth":2,"includePaths":["^/a"],
                   "excludePaths":["b$"],"sitemap":"skip","crawlEntireDomain":true,"allowSubdomains":true,
                   "allowExternalLinks":false,"ignoreQueryParameters":true,"delay":0.5,"maxConcurrency":3,
                   "ignoreRobotsTxt":true,"zeroDataRetention":true,"origin":"js-sdk@4.42.0","integration":"cli",
                   "scrapeOptions":{"formats":["html",{"type":"links"}],"onlyMainContent":false,
                   "headers":{"X-A":"b"},"includeTags":["main"],"excludeTags":["nav"]}})"),
        issues);

    CHECK(issues.empty());
    CHECK(options.urls == std::vector<std::string>{"http://docs.example.com/guide"});
    CHECK(options.limit == 7);
    CHECK(options.max_depth == 2);
    CHECK(options.include_paths == std::vector<std::string>{"^/a"});
    CHECK(options.exclude_paths == std::vector<std::string>{"b$"});
    CHECK(options.sitemap == crawl::SitemapUse::skip);
    CHECK(options.entire_domain);
    CHECK(options.subdomains);
    CHECK(options.ignore_query_parameters);
    CHECK(options.delay == 500ms);
    CHECK(options.max_concurrency == 3);
    CHECK(options.ignore_robots);
    CHECK(options.zero_retention);
    CHECK_FALSE(options.formats.markdown);
    CHECK(options.formats.html);
    CHECK(options.formats.links);
    CHECK(options.full_page);
    CHECK(options.headers.size() == 1);
    CHECK(options.include_tags == std::vector<std::string>{"main"});

    const auto plain = read_crawl_request(parsed(R"({"url":"https://a.example/"})"), issues);
    CHECK(plain.limit == 10'000);
    CHECK(plain.formats.markdown);
    CHECK_FALSE(plain.full_page);
    CHECK(plain.kind == "crawl");
    CHECK(plain.embed);
}

TEST_CASE("nobody can ask for private addresses, another's name or another folder") {
    std::vector<Issue> issues;
    const auto options = read_crawl_request(
        parsed(
            R"({"url":"https://a.example/","allowPrivate":true,"allowNetworks":["10.0.0.0/8"],"owner":"ann",
                   "kind":"scrape","priority":0,"collection":"theirs"})"),
        issues);

    CHECK_FALSE(options.allow_private);
    CHECK(options.allow_networks.empty());
    CHECK(options.owner == "local");
    CHECK(options.kind == "crawl");
    CHECK(options.priority == 2);
    CHECK(options.collection == "default");
}

TEST_CASE("everything that is wrong is said, with its place") {
    struct Row {
        const char* body;
        const char* path;
    };
    const Row rows[] = {
        {R"({})", "url is missing"},
        {R"({"url":7})", "url has to be"},
        {R"({"url":"ftp://a/"})", "url is no http"},
        {R"({"url":"https://a.example/","limit":0})", "limit has to be"},
        {R"({"url":"https://a.example/","limit":"7"})", "limit has to be"},
        {R"({"url":"https://a.example/","limit":1.5})", "limit has to be"},
        {R"({"url":"https://a.example/","sitemap":"maybe"})", "sitemap has to be"},
        {R"({"url":"https://a.example/","delay":61})", "delay has to be"},
        {R"({"url":"https://a.example/","includePaths":["("]})", "includePaths cannot work"},
        {R"({"url":"https://a.example/","excludePaths":["a","("]})", "excludePaths cannot work"},
        {R"({"url":"https://a.example/","includePaths":[7]})", "includePaths has to be"},
        {R"({"url":"https://a.example/","crawlEntireDomain":"yes"})", "crawlEntireDomain has to be"},
        {R"({"url":"https://a.example/","scrapeOptions":[]})", "scrapeOptions has to be"},
        {R"({"url":"https://a.example/","scrapeOptions":{"formats":["video"]}})",
         "scrapeOptions.formats has \"video\""},
        {R"({"url":"https://a.example/","scrapeOptions":{"formats":[7]}})",
         "scrapeOptions.formats has to be"},
        {R"({"url":"https://a.example/","scrapeOptions":{"headers":{"a":7}}})",
         "scrapeOptions.headers has to"},
        {R"({"url":"https://a.example/","scrapeOptions":{"headers":{"a\nb":"c"}}})",
         "scrapeOptions.headers cannot work"},
        {R"({"url":"https://a.example/","scrapeOptions":{"includeTags":["p >"]}})",
         "scrapeOptions.includeTags cannot work"},
        {R"({"url":"https://a.example/","scrapeOptions":{"excludeTags":""}})",
         "scrapeOptions.excludeTags cannot work"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.body);
        CHECK(wrong_with(row.body).find(row.path) == 0);
    }
    CHECK(wrong_with(R"({"url":7,"limit":-1})").find("limit") != std::string::npos);
    CHECK(wrong_with(R"({"url":"https://a.example/","limit":null,"scrapeOptions":null})").empty());
}

TEST_CASE("a batch takes the URLs that are some, and names the others") {
    std::vector<Issue> issues;
    std::vector<std::string> invalid;
    const auto options = read_batch_request(
        parsed(R"({"urls":["https://a.example/1","no url at all","b.example"],"formats":["markdown"]})"),
        issues, invalid);

    CHECK(issues.empty());
    CHECK(options.urls == std::vector<std::string>{"https://a.example/1", "http://b.example/"});
    CHECK(invalid == std::vector<std::string>{"no url at all"});
    CHECK(options.kind == "batch_scrape");
    CHECK(options.list_only_seeds);
    CHECK(options.keep_errors);
    CHECK(options.limit == 100'000);  // more may be added

    read_batch_request(parsed(R"({"urls":["no url"],"ignoreInvalidURLs":false})"), issues, invalid);
    CHECK(issues.size() == 2);
}

TEST_CASE("a scrape is for somebody who waits") {
    std::vector<Issue> issues;
    const auto request = read_scrape_request(
        parsed(R"({"url":"a.example","timeout":5000,"maxAge":60000,"minAge":1000,"storeInCache":false})"),
        issues);

    CHECK(issues.empty());
    CHECK(request.options.kind == "scrape");
    CHECK(request.options.priority == 1);
    CHECK(request.options.limit == 1);
    CHECK(request.wish.timeout == 5s);
    CHECK(request.wish.max_age == 60s);
    CHECK(request.wish.min_age == 1s);
    CHECK_FALSE(request.wish.store_in_cache);

    read_scrape_request(parsed(R"({"url":"a.example","timeout":10})"), issues);
    CHECK(issues.size() == 1);
}

TEST_CASE("formats with options of their own are read from their objects") {
    std::vector<Issue> issues;
    const auto options = read_scrape_request(parsed(R"({"url":"a.example","formats":["markdown",
        {"type":"attributes","selectors":[{"selector":"a","attribute":"href"},{"selector":"p","attribute":"id"}]},
        {"type":"changeTracking","modes":["git-diff"],"tag":"daily"}]})"),
                                             issues)
                             .options;

    CHECK(issues.empty());
    CHECK(options.formats.markdown);
    CHECK(options.attributes == std::vector<AttributeWish>{{"a", "href"}, {"p", "id"}});
    CHECK(options.track_changes);
    CHECK(options.show_changes);
    CHECK(options.change_tag == "daily");
}

TEST_CASE("what only a browser can do has the page shown in one") {
    struct Row {
        const char* fields;
        Rendering rendering;
    };
    constexpr Row rows[] = {
        {R"("onlyMainContent":true)", Rendering::when_empty},
        {R"("render":"never")", Rendering::never},
        {R"("render":"always")", Rendering::always},
        {R"("waitFor":500)", Rendering::always},
        {R"("mobile":true)", Rendering::always},
        {R"("formats":["screenshot"])", Rendering::always},
        {R"("formats":["markdown",{"type":"branding"}])", Rendering::always},
        {R"("formats":["branding"],"render":"never")", Rendering::always},
        {R"("actions":[{"type":"scrape"}])", Rendering::always},
        {R"("actions":[],"waitFor":0,"mobile":false)", Rendering::when_empty},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fields);
        std::vector<Issue> issues;
        const auto request =
            read_scrape_request(parsed(R"({"url":"a.example",)" + std::string(row.fields) + "}"), issues);
        CHECK(issues.empty());
        CHECK(request.options.render == row.rendering);
    }
}

TEST_CASE("screenshots are read as texts and as objects") {
    std::vector<Issue> issues;
    const auto picture = [&](const std::string& format) {
        return read_scrape_request(parsed(R"({"url":"a.example","formats":[)" + format + "]}"), issues)
            .options.picture.value();
    };

    CHECK(picture(R"("screenshot")") == PictureWish{});
    CHECK(picture(R"("screenshot@fullPage")") == PictureWish{.full_page = true});
    CHECK(
        picture(
            R"({"type":"screenshot","fullPage":true,"quality":50,"viewport":{"width":800,"height":600}})") ==
        PictureWish{
            .kind = PictureKind::jpeg, .quality = 50, .full_page = true, .viewport = Viewport{800, 600}});
    CHECK(issues.empty());
}

TEST_CASE("what cannot be asked of a browser is refused, with the field that asks for it") {
    for (const char* fields :
         {R"("waitFor":60001)", R"("waitFor":-1)", R"("waitFor":4000,"timeout":5000)", R"("mobile":1)",
          R"("render":"sometimes")", R"("actions":{})", R"("actions":[{"type":"dance"}])",
          R"("waitFor":50000,"actions":[{"type":"wait","milliseconds":20000}])",
          R"("formats":["screenshot","screenshot@fullPage"])",
          R"("formats":[{"type":"screenshot","quality":101}])"}) {
        CAPTURE(fields);
        std::vector<Issue> issues;
        read_scrape_request(parsed(R"({"url":"a.example",)" + std::string(fields) + "}"), issues);
        CHECK(issues.size() == 1);
    }
}

TEST_CASE("a page that is to be asked about is stored with more than is shown of it") {
    std::vector<Issue> issues;
    const auto request = read_scrape_request(
        parsed(
            R"({"url":"a.example","formats":["links",{"type":"json","prompt":"p","schema":{"type":"object"}},
                   {"type":"query","prompt":"q","mode":"directQuote"}]})"),
        issues);

    CHECK(issues.empty());
    CHECK(request.wish.data.wants_json);
    CHECK(request.wish.data.prompt == "p");
    CHECK(request.wish.data.highlights == "q");
    CHECK(request.options.formats.raw_html);
    CHECK_FALSE(request.shown.raw_html);
    CHECK_FALSE(request.shown.markdown);
    CHECK(request.shown.links);
}

TEST_CASE("formats that Firecrawl has and this server does not are refused by their names") {
    for (const std::string name : {"product", "menu", "audio", "video"}) {
        std::vector<Issue> issues;
        read_scrape_request(parsed(R"({"url":"a.example","formats":[")" + name + R"("]})"), issues);
        REQUIRE(issues.size() == 1);
        CHECK(issues[0].message == "has \"" + name + "\", which this server does not offer");
    }
}

TEST_CASE("formats with options that cannot be are refused") {
    for (const char* format :
         {R"("attributes")", R"({"type":"attributes","selectors":[]})",
          R"({"type":"attributes","selectors":[7]})",
          R"({"type":"attributes","selectors":[{"selector":"a"}]})",
          R"({"type":"attributes","selectors":[{"selector":"a >","attribute":"href"}]})",
          R"({"type":"changeTracking","modes":["json"]})", R"({"type":"changeTracking","modes":["other"]})",
          R"({"type":"changeTracking","modes":"git-diff"})", R"("json")",
          R"({"type":"json","schema":{"type":"x"}})", R"("question")", R"({"type":"highlights"})"}) {
        CAPTURE(format);
        std::vector<Issue> issues;
        read_scrape_request(parsed(R"({"url":"a.example","formats":[)" + std::string(format) + "]}"), issues);
        CHECK(issues.size() == 1);
    }
}
