#include "crawl/options/options.h"

#include <chrono>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "crawl/options/json.h"

using namespace quarry;
using namespace quarry::crawl;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

CrawlOptions parsed(const char* text) {
    auto options = parse_crawl_options(json::parse(text));
    REQUIRE_MESSAGE(options, options.error().message);
    return *options;
}

// Every member differs from its default.
CrawlOptions unusual() {
    return {
        .kind = "batch_scrape",
        .urls = {"https://a.example/docs/", "http://b.example:8080/?q=\"ä\""},
        .max_depth = 0,
        .limit = 9'000'000'000,
        .include_paths = {"^/docs/", R"(\d+)"},
        .exclude_paths = {"/old/"},
        .regex_on_full_url = true,
        .entire_domain = true,
        .subdomains = true,
        .external = true,
        .sitemap = SitemapUse::only,
        .ignore_query_parameters = true,
        .deduplicate_similar_urls = false,
        .list_only_seeds = true,
        .delay = 1'234ms,
        .max_concurrency = 32,
        .ignore_robots = true,
        .robots_agent = "another",
        .headers = {{"Accept-Language", "de"}, {"X-Empty", ""}},
        .allow_networks = {"10.0.0.0/8"},
        .allow_private = true,
        .render = Rendering::always,
        .wait_for = 700ms,
        .mobile = true,
        .block_ads = false,
        .actions = {{.kind = Action::Kind::wait, .time = 50ms},
                    {.kind = Action::Kind::wait, .selector = "#late"},
                    {.kind = Action::Kind::click, .selector = "a", .all = true},
                    {.kind = Action::Kind::write, .text = "granite"},
                    {.kind = Action::Kind::press, .text = "Enter"},
                    {.kind = Action::Kind::scroll, .selector = "main", .up = true},
                    {.kind = Action::Kind::picture,
                     .picture = {.kind = PictureKind::webp, .quality = 7, .viewport = Viewport{800, 600}}},
                    {.kind = Action::Kind::scrape},
                    {.kind = Action::Kind::script, .text = "1 + 1"},
                    {.kind = Action::Kind::pdf, .pdf = {"Letter", true, 0.5}}},
        .picture = PictureWish{.full_page = true, .selector = "main"},
        .formats = {.markdown = false,
                    .html = true,
                    .raw_html = true,
                    .text = true,
                    .links = true,
                    .images = true,
                    .branding = true,
                    .metadata = false},
        .full_page = true,
        .keep_errors = true,
        .include_tags = {"article"},
        .exclude_tags = {"nav", ".ad"},
        .attributes = {{"a", "href"}},
        .data = {.wants_json = true,
                 .schema = R"({"type":"object"})",
                 .prompt = "the price",
                 .wants_summary = true,
                 .question = "Why?",
                 .highlights = "clay"},
        .track_changes = true,
        .show_changes = true,
        .change_tag = "daily",
        .collection = "notes",
        .owner = "team",
        .request_key = "once",
        .priority = 7,
        .exclusive = true,
        .embed = false,
        .go_on = true,
        .prune = true,
        .refresh = false,
        .zero_retention = true,
    };
}

}  // namespace

TEST_CASE("options are read as Firecrawl's clients write them") {
    const CrawlOptions options = parsed(R"({
        "url": "https://a.example/", "includePaths": ["^/docs/"], "excludePaths": ["/old/"], "maxDiscoveryDepth": 3,
        "limit": 50, "sitemap": "skip", "ignoreQueryParameters": true, "deduplicateSimilarURLs": false,
        "regexOnFullURL": true, "crawlEntireDomain": true, "allowExternalLinks": true, "allowSubdomains": true,
        "delay": 0.25, "maxConcurrency": 5, "ignoreRobotsTxt": true, "zeroDataRetention": true,
        "scrapeOptions": {"formats": ["markdown", {"type": "links"}], "headers": {"Cookie": "a=b"},
                          "includeTags": ["main"], "excludeTags": ["nav"], "onlyMainContent": false}})");

    CHECK(options.urls == std::vector<std::string>{"https://a.example/"});
    CHECK(options.include_paths == std::vector<std::string>{"^/docs/"});
    CHECK(options.exclude_paths == std::vector<std::string>{"/old/"});
    CHECK(options.max_depth == 3);
    CHECK(options.limit == 50);
    CHECK(options.sitemap == SitemapUse::skip);
    CHECK(options.ignore_query_parameters);
    CHECK_FALSE(options.deduplicate_similar_urls);
    CHECK(options.regex_on_full_url);
    CHECK(options.entire_domain);
    CHECK(options.external);
    CHECK(options.subdomains);
    CHECK(options.delay == 250ms);
    CHECK(options.max_concurrency == 5);
    CHECK(options.ignore_robots);
    CHECK(options.zero_retention);
    CHECK(options.formats.markdown);
    CHECK(options.formats.links);
    CHECK_FALSE(options.formats.metadata);
    REQUIRE(options.headers.size() == 1);
    CHECK(options.headers[0].name == "Cookie");
    CHECK(options.headers[0].value == "a=b");
    CHECK(options.include_tags == std::vector<std::string>{"main"});
    CHECK(options.exclude_tags == std::vector<std::string>{"nav"});
    CHECK(options.full_page);
}

TEST_CASE("what is asked of a browser and of a model comes back as it went in") {
    const auto back = parse_crawl_options(to_json(unusual()));

    REQUIRE(back);
    CHECK(back->render == Rendering::always);
    CHECK(back->wait_for == 700ms);
    CHECK(back->mobile);
    CHECK_FALSE(back->block_ads);
    CHECK(back->actions == unusual().actions);
    CHECK(back->picture == unusual().picture);
    CHECK(back->formats.branding);
    CHECK(back->data == unusual().data);
}

TEST_CASE("actions that cannot be done are refused, and which one it is is said") {
    struct Row {
        const char* actions;
        const char* words;
    };
    constexpr Row rows[] = {
        {R"({"type": "wait"})", "a list"},
        {R"([{"type": "scrape"}, {"type": "dance"}])", "action 2"},
        {R"(["scrape"])", "\"type\""},
        {R"([{"type": "wait"}])", "either"},
        {R"([{"type": "wait", "milliseconds": 5, "selector": "a"}])", "either"},
        {R"([{"type": "wait", "milliseconds": 60001}])", "60000"},
        {R"([{"type": "click"}])", "\"selector\""},
        {R"([{"type": "write", "text": 7}])", "a text"},
        {R"([{"type": "press"}])", "\"key\""},
        {R"([{"type": "scroll", "direction": "left"}])", "up or down"},
        {R"([{"type": "screenshot", "quality": 0}])", "from 1 to 100"},
        {R"([{"type": "screenshot", "viewport": {"width": 9000}}])", "7680"},
        {R"([{"type": "executeJavascript"}])", "\"script\""},
        {R"([{"type": "pdf", "scale": 3}])", "0.1 to 2"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.actions);
        const auto actions = read_actions(json::parse(row.actions));
        REQUIRE_FALSE(actions);
        CHECK(actions.error().message.find(row.words) != std::string::npos);
    }
    CHECK_FALSE(read_actions(json::array(51, json::value{{"type", "scrape"}})));
}

TEST_CASE("what only a browser can do is refused where none is asked for, and so are endless waits") {
    CrawlOptions options{.urls = {"https://a.example/"}};
    options.picture = PictureWish{};
    CHECK_FALSE(check(options));
    options.picture.reset();
    options.formats.branding = true;
    CHECK_FALSE(check(options));

    options.render = Rendering::always;
    CHECK(check(options));

    options.wait_for = 30s;
    options.actions = {{.time = 31s}};
    CHECK_FALSE(check(options));
}

TEST_CASE("a picture with a quality is a JPEG") {
    CHECK(read_picture({}).value().kind == PictureKind::png);
    CHECK(read_picture({{"quality", 60}}).value().kind == PictureKind::jpeg);
    CHECK(read_picture({{"quality", 60}, {"format", "webp"}}).value().kind == PictureKind::webp);
}

TEST_CASE("what is not said has its default, and null says nothing") {
    const CrawlOptions options =
        parsed(R"({"urls": ["https://a.example/"], "limit": null, "scrapeOptions": null})");

    CHECK(options.limit == 10'000);
    CHECK_FALSE(options.max_depth);
    CHECK(options.sitemap == SitemapUse::include);
    CHECK(options.deduplicate_similar_urls);
    CHECK(options.formats.markdown);
    CHECK(options.formats.metadata);
    CHECK(options.collection == "default");
    CHECK(options.priority == 2);
    CHECK(options.embed);
}

TEST_CASE("options come back from JSON exactly as they went in, defaults and all") {
    for (const CrawlOptions& options : {CrawlOptions{}, unusual()}) {
        const std::string text = json::serialize(to_json(options));
        const auto back = parse_crawl_options(json::parse(text));
        REQUIRE(back);
        CHECK(json::serialize(to_json(*back)) == text);
    }
}

TEST_CASE("every member of the options is kept in JSON") {
    const json::object usual = to_json(CrawlOptions{});
    const json::object other = to_json(unusual());
    for (const auto& [name, value] : usual) {
        CAPTURE(std::string(name));
        CHECK(other.at(name) != value);
    }
    CHECK(other.at("maxDiscoveryDepth") == 0);
    CHECK(other.at("maxConcurrency") == 32);
    for (const auto& [name, value] : usual.at("scrapeOptions").as_object()) {
        CAPTURE(std::string(name));
        CHECK(other.at("scrapeOptions").at(name) != value);
    }
}

TEST_CASE("headers keep their order, and a name that comes twice is kept twice") {
    CrawlOptions options;
    options.headers = {{"B", "1"}, {"A", "2"}, {"B", "3"}};

    const auto back = parse_crawl_options(to_json(options)).value().headers;

    REQUIRE(back.size() == 3);
    CHECK(back[0].name == "B");
    CHECK(back[1].name == "A");
    CHECK(back[2].value == "3");
}

TEST_CASE("a delay is exact to the millisecond") {
    for (const auto delay : {0ms, 1ms, 333ms, 999ms, 1000ms, 1001ms, 59'999ms, 3'599'999ms}) {
        CrawlOptions options;
        options.delay = delay;
        CHECK(parse_crawl_options(json::parse(json::serialize(to_json(options)))).value().delay == delay);
    }
}

TEST_CASE("an empty list of formats wants nothing") {
    const Formats formats = parsed(R"({"scrapeOptions": {"formats": []}})").formats;
    CHECK_FALSE(formats.wants_content());
    CHECK_FALSE(formats.metadata);
}

TEST_CASE("a priority can be named") {
    CHECK(parsed(R"({"priority": "high"})").priority == 1);
    CHECK(parsed(R"({"priority": 40})").priority == 40);
}

TEST_CASE("what cannot be understood is refused in a sentence that names it") {
    struct Row {
        const char *text, *part;
    };
    const Row rows[] = {
        {"[]", "must be an object"},
        {R"({"limitt": 5})", "did you mean \"limit\"?"},
        {R"({"maxDepth": 5})", "unknown option \"maxDepth\""},
        {R"({"crawlEntireDomains": true})", "did you mean \"crawlEntireDomain\"?"},
        {R"({"scrapeOptions": {"format": []}})", "did you mean \"formats\"?"},
        {R"({"limit": "many"})", "\"limit\" must be a whole number, not \"many\""},
        {R"({"limit": 1.5})", "\"limit\" must be a whole number"},
        {R"({"limit": 99999999999999999999})", "\"limit\" must be a whole number"},
        {R"({"maxDiscoveryDepth": -1})", "\"maxDiscoveryDepth\""},
        {R"({"maxConcurrency": 3000000000})", "\"maxConcurrency\""},
        {R"({"urls": "https://a.example/"})", "\"urls\" must be a list of texts"},
        {R"({"urls": [1]})", "\"urls\" must be a list of texts"},
        {R"({"url": ["https://a.example/"]})", "\"url\" must be a text"},
        {R"({"embed": 1})", "\"embed\" must be true or false, not 1"},
        {R"({"sitemap": "maybe"})", "include, skip or only"},
        {R"({"sitemap": 1})", "include, skip or only"},
        {R"({"delay": -1})", "\"delay\" must be a number of seconds"},
        {R"({"delay": 1e300})", "\"delay\" must be a number of seconds"},
        {R"({"delay": "1s"})", "\"delay\" must be a number of seconds"},
        {R"({"priority": "urgent"})", "no priority"},
        {R"({"priority": []})", "\"priority\""},
        {R"({"scrapeOptions": []})", "\"scrapeOptions\" must be an object"},
        {R"({"scrapeOptions": {"formats": ["screenshot"]}})", "unknown format \"screenshot\""},
        {R"({"scrapeOptions": {"formats": ["markdown,html"]}})", "no comma"},
        {R"({"scrapeOptions": {"formats": [{"name": "x"}]}})", "\"formats\" must be a list of names"},
        {R"({"scrapeOptions": {"formats": "markdown"}})", "\"formats\" must be a list of names"},
        {R"({"scrapeOptions": {"headers": {"a": 1}}})", "\"headers\""},
        {R"({"scrapeOptions": {"headers": ["a: b"]}})", "\"headers\""},
        {R"({"scrapeOptions": {"headers": 1}})", "\"headers\""},
        {R"({"scrapeOptions": {"onlyMainContent": "no"}})", "\"onlyMainContent\" must be true or false"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.text));
        const auto options = parse_crawl_options(json::parse(row.text));
        REQUIRE_FALSE(options);
        CHECK(options.error().code == ErrorCode::invalid_argument);
        CAPTURE(options.error().message);
        CHECK(options.error().message.find(row.part) != std::string::npos);
    }
}

TEST_CASE("options that cannot work are refused before a crawl begins") {
    struct Row {
        const char* part;
        void (*spoil)(CrawlOptions&);
    };
    const Row rows[] = {
        {"needs a URL", [](CrawlOptions& o) { o.urls.clear(); }},
        {"only http and https", [](CrawlOptions& o) { o.urls = {"ftp://a.example/"}; }},
        {"only http and https", [](CrawlOptions& o) { o.urls = {"mailto:a@a.example"}; }},
        {"cannot crawl \"a.example\"", [](CrawlOptions& o) { o.urls = {"https://b.example/", "a.example"}; }},
        {"at least one page", [](CrawlOptions& o) { o.limit = 0; }},
        {"at least one page", [](CrawlOptions& o) { o.limit = -5; }},
        {"must not be negative", [](CrawlOptions& o) { o.max_depth = -1; }},
        {"begin with #", [](CrawlOptions& o) { o.collection = "#7"; }},
        {"has a name", [](CrawlOptions& o) { o.collection = ""; }},
        {"pages at once", [](CrawlOptions& o) { o.max_concurrency = 0; }},
        {"delay", [](CrawlOptions& o) { o.delay = -1ms; }},
        {"delay", [](CrawlOptions& o) { o.delay = 2h; }},
        {"RE2", [](CrawlOptions& o) { o.include_paths = {"("}; }},
        {"RE2", [](CrawlOptions& o) { o.exclude_paths = {"/ok", "(?=ahead)"}; }},
        {"RE2", [](CrawlOptions& o) { o.exclude_paths = {"a)(b"}; }},
        {"longer than 4 KB", [](CrawlOptions& o) { o.exclude_paths = {std::string(5000, 'a')}; }},
        {"at most 1,000", [](CrawlOptions& o) { o.exclude_paths.assign(1001, "a"); }},
        {"RE2", [](CrawlOptions& o) { o.include_paths = {"((a{100}){100}){100}"}; }},
        {"not a header", [](CrawlOptions& o) { o.headers = {{"A", "b\r\nHost: c"}}; }},
        {"not a header", [](CrawlOptions& o) { o.headers = {{"A B", "c"}}; }},
        {"not a header", [](CrawlOptions& o) { o.headers = {{"", "c"}}; }},
        {"not UTF-8", [](CrawlOptions& o) { o.collection = "\xff"; }},
        {"nested more than 32",
         [](CrawlOptions& o) {
             boost::json::value schema = boost::json::object();
             for (int i = 0; i < 40; ++i) schema = boost::json::object{{"items", schema}};
             o.data.schema = boost::json::serialize(schema);
             o.data.wants_json = true;
         }},
        {"at most 1000000000000 pages", [](CrawlOptions& o) { o.limit = 922'337'203'685'477'581; }},
        {"at most 1000000000000 pages",
         [](CrawlOptions& o) { o.limit = std::numeric_limits<std::int64_t>::max(); }},
        {"cannot crawl \"ftp://a.example/\"",
         [](CrawlOptions& o) { o.urls = {"ftp://ann:secret@a.example/"}; }},
    };
    for (const Row& row : rows) {
        CrawlOptions options{.urls = {"https://a.example/"}};
        row.spoil(options);
        CAPTURE(std::string(row.part));
        const auto result = check(options);
        REQUIRE_FALSE(result);
        CAPTURE(result.error().message);
        CHECK(result.error().message.find(row.part) != std::string::npos);
    }
    CHECK(check(CrawlOptions{.urls = {"https://a.example/"}}));
    CHECK(check(unusual()));
}
