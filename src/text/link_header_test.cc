#include "text/link_header.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::text;

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

TEST_CASE("a link is found by its relation, and by its type where that matters") {
    const auto found = [&](const char* value, const WantedLink& wanted) {
        return link_target({{"Link", "<x>; rel=first"}, {"link", value}}, wanted);
    };
    const WantedLink markdown{.relation = "alternate", .type = "text/markdown"};
    CHECK(found("<page.md>; rel=\"alternate\"; type=\"text/markdown\"", markdown) == "page.md");
    CHECK(found("</f>; rel=alternate; type=\"application/rss+xml\", </m>; rel=alternate; type=text/markdown",
                markdown) == "/m");
    CHECK(found("<page.md>; rel=next; type=text/markdown", markdown).empty());
    CHECK(found("</page>; rel=\"Next CANONICAL\"", {.relation = "canonical"}) == "/page");
    CHECK(found("<y>; rel=z", {.relation = "first"}) == "x");
}
