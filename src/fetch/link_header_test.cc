#include "fetch/link_header.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::fetch;

TEST_CASE("links of a header come with their relation and type") {
    const auto links = parse_link_header(
        R"(</a.css>; rel=preload; as=style, <page.md> ; type="text/Markdown";title="a, \"b\"; c" ; rel="Alternate next",<x>)");

    REQUIRE(links.size() == 3);
    CHECK(links[0].target == "/a.css");
    CHECK(links[0].relation == "preload");
    CHECK(links[1].target == "page.md");
    CHECK(links[1].relation == "alternate next");
    CHECK(links[1].type == "text/markdown");
    CHECK(links[2].target == "x");
}

TEST_CASE("malformed links are skipped") {
    struct Row {
        const char* text;
        std::size_t count;
    };
    constexpr Row rows[] = {
        {"", 0},
        {",,,", 0},
        {"a; rel=x", 0},
        {"<a", 0},
        {"junk, <b>; rel=next", 1},
        {"<a>;;;", 1},
        {"<a>; rel", 1},
        {"<a>; rel=\"open", 1},
        {"<a>; =x", 1},
        {"<a> junk, <b>", 2},
        {"<a,b>", 1},
        {"<>; rel=x", 1},
        {"<a>; rel=x rel=y, <b>", 2},
    };
    for (const Row& row : rows) CHECK_MESSAGE(parse_link_header(row.text).size() == row.count, row.text);
}

TEST_CASE("a header of many links is cut") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "<a>,";
    CHECK(parse_link_header(text).size() == 100);
}

TEST_CASE("the markdown form of a page is found and resolved") {
    const auto base = url::Url::parse("https://a.example/docs/page").value();
    const auto found = [&](const char* value) {
        const auto url = markdown_alternate({{"Link", "<x>; rel=canonical"}, {"link", value}}, base);
        return url ? url->href() : std::string();
    };
    CHECK(found("<page.md>; rel=\"alternate\"; type=\"text/markdown\"") == "https://a.example/docs/page.md");
    CHECK(
        found("</f>; rel=alternate; type=\"application/rss+xml\", </m>; rel=alternate; type=text/markdown") ==
        "https://a.example/m");
    CHECK(found("<page.md>; rel=next; type=text/markdown").empty());
    CHECK(found("<file:///etc/passwd>; rel=alternate; type=text/markdown").empty());
}
