#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "model/json/output.h"
#include "model/page.h"
#include "model/page_options.h"

using namespace quarry;

TEST_CASE("a header is found whatever its case, and a missing one is empty") {
    const std::vector<Header> headers{{"Content-Type", "text/html"}, {"X-Robots-Tag", "noindex"}};

    CHECK(header_value(headers, "x-robots-tag") == "noindex");
    CHECK(header_value(headers, "link") == "");
}

TEST_CASE("a list of formats wants only what it names") {
    const Formats formats = parse_formats("rawHtml, links").value();

    CHECK(formats.raw_html);
    CHECK(formats.links);
    CHECK_FALSE(formats.markdown);
    CHECK_FALSE(formats.metadata);
    CHECK_FALSE(formats.wants_content());
}

TEST_CASE("an unknown format is refused with the names there are") {
    for (const char* list : {"", "markdwon", "markdown,", ",html", "HTML"}) {
        CAPTURE(list);
        const auto formats = parse_formats(list);
        REQUIRE_FALSE(formats);
        CHECK(formats.error().code == ErrorCode::invalid_argument);
        CHECK(formats.error().message.find("rawHtml") != std::string::npos);
    }
}

TEST_CASE("a document's JSON holds the formats that were asked for and no others") {
    const Document document{
        .markdown = "# Hi\n", .html = "<h1>Hi</h1>", .links = {{.url = "https://a.example/"}}};

    const auto object = to_json(document, Formats{.links = true});

    CHECK(object.at("markdown") == "# Hi\n");
    CHECK(object.at("links") == boost::json::array{"https://a.example/"});
    CHECK_FALSE(object.contains("html"));
    CHECK_FALSE(object.contains("warning"));
    CHECK(object.at("metadata").is_object());
}

TEST_CASE("metadata is named as Firecrawl's clients expect") {
    Metadata metadata{.title = "T", .published = "2024-03-05", .robots = {.noindex = true, .nofollow = true}};
    metadata.open_graph = {{"og:site_name", "S"},
                           {"og:image", "https://a.example/1.png"},
                           {"og:image", "https://a.example/2.png"},
                           {"article:tag", "x"}};
    metadata.dublin_core = {{"dc.date.created", "2024"}};
    metadata.other = {{"viewport", "width=device-width"}};
    metadata.json_ld = {R"({"@type":"Article"})"};

    const auto object = to_json(metadata);

    CHECK(object.at("title") == "T");
    CHECK(object.at("ogSiteName") == "S");
    CHECK(object.at("ogImage") == boost::json::array{"https://a.example/1.png", "https://a.example/2.png"});
    CHECK(object.at("articleTag") == "x");
    CHECK(object.at("dcDateCreated") == "2024");
    CHECK(object.at("viewport") == "width=device-width");
    CHECK(object.at("publishedTime") == "2024-03-05");
    CHECK(object.at("robots") == "noindex, nofollow");
    CHECK(object.at("jsonLd").as_array().size() == 1);
}

TEST_CASE("a page cannot pass off a meta tag as a fact of the fetch") {
    Metadata metadata{.title = "Stated"};
    metadata.other = {{"statusCode", "200"}, {"error", "none"}, {"title", "Other"}, {"url", "x"}};

    const auto object = to_json(metadata);

    CHECK(object.size() == 1);
    CHECK(object.at("title") == "Stated");
}
