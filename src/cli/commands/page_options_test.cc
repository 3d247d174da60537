#include "cli/commands/page_options.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::cli;
using namespace std::chrono_literals;
using quarry::test::TemporaryFolder;

namespace {

// What the flags, as typed, come to.
Result<crawl::CrawlOptions> options_of(std::vector<std::string> arguments) {
    Parser root("quarry", "", "");
    SettingFlags settings;
    CommandBuilder builder(root, settings);
    CrawlFlags flags;
    add_crawl_flags(builder, root, flags);
    TRY(root.parse(std::move(arguments)));
    const CommandContext session{.settings = app::Settings::load({.flags = settings}).value()};
    return crawl_options(session, flags);
}

}  // namespace

TEST_CASE("without flags a crawl has the defaults of crawl/options/options.h, and renders what needs it") {
    const auto options = options_of({"https://a.example/docs/"}).value();

    crawl::CrawlOptions wanted{.urls = {"https://a.example/docs/"}};
    wanted.render = Rendering::when_empty;
    CHECK(to_json(options) == to_json(wanted));
}

TEST_CASE("every flag reaches its option") {
    const auto options = options_of({"https://a.example/",
                                     "--limit",
                                     "7",
                                     "--depth",
                                     "2",
                                     "--include",
                                     "^/a",
                                     "--include",
                                     "^/b",
                                     "--exclude",
                                     "^/a/x",
                                     "--subdomains",
                                     "--external",
                                     "--entire-domain",
                                     "--sitemap",
                                     "only",
                                     "--ignore-query",
                                     "--delay",
                                     "500ms",
                                     "--max-concurrency",
                                     "32",
                                     "--ignore-robots",
                                     "--agent",
                                     "acme",
                                     "--header",
                                     "Accept-Language: de",
                                     "--cookie",
                                     "a=b",
                                     "--formats",
                                     "markdown,html",
                                     "--full-page",
                                     "--include-tags",
                                     "main",
                                     "--collection",
                                     "docs",
                                     "--priority",
                                     "high",
                                     "--no-embed",
                                     "--exclusive",
                                     "--go-on",
                                     "--prune",
                                     "--no-refresh",
                                     "--allow-private",
                                     "--regex-on-full-url",
                                     "--no-deduplicate-similar",
                                     "--only-these"})
                             .value();

    CHECK(options.limit == 7);
    CHECK(options.max_depth == 2);
    CHECK(options.include_paths == std::vector<std::string>{"^/a", "^/b"});
    CHECK(options.exclude_paths == std::vector<std::string>{"^/a/x"});
    CHECK((options.subdomains && options.external && options.entire_domain && options.regex_on_full_url));
    CHECK(options.sitemap == crawl::SitemapUse::only);
    CHECK((options.ignore_query_parameters && !options.deduplicate_similar_urls && options.list_only_seeds));
    CHECK(options.delay == 500ms);
    CHECK(options.max_concurrency == 32);
    CHECK((options.ignore_robots && options.robots_agent == "acme"));
    REQUIRE(options.headers.size() == 2);
    CHECK(options.headers[0].name == "Accept-Language");
    CHECK(options.headers[1].value == "a=b");
    CHECK((options.formats.markdown && options.formats.html && !options.formats.links));
    CHECK((options.full_page && options.include_tags == std::vector<std::string>{"main"}));
    CHECK((options.collection == "docs" && options.priority == 1));
    CHECK((!options.embed && options.exclusive && options.go_on && options.prune && !options.refresh));
    CHECK(options.allow_private);
}

TEST_CASE("addresses are completed as they are for scrape, and files add theirs") {
    const TemporaryFolder folder;
    const std::string file = folder.write("urls.txt", "# seeds\nhttps://b.example/x\n\n");

    const auto options = options_of({"localhost:8080/a", "-f", file}).value();

    CHECK(options.urls == std::vector<std::string>{"http://localhost:8080/a", "https://b.example/x"});
    CHECK(options_of({"--limit", "3"}).error().message.find("No URLs provided") != std::string::npos);
    CHECK(options_of({"-f", "/nonexistent"}).error().message.find("File not found") != std::string::npos);
}
