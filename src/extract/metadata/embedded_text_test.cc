#include <doctest/doctest.h>

#include "extract/client_rendered.h"
#include "html/parser.h"

using namespace quarry;
using quarry::extract::described_html;
using quarry::extract::embedded_html;

namespace {

const std::string prose =
    "Stones are sorted by weight first and by colour second, because nobody can see the colour of a stone "
    "that is "
    "still lying below another one. This takes some time, but it is time well spent, as every mason will "
    "tell you.";

std::string embedded(const std::string& page) {
    return embedded_html(html::parse(page));
}

}  // namespace

TEST_CASE("prose in a JSON script is found, and labels beside it are not") {
    const std::string found =
        embedded(R"(<script type="application/json">{"page": {"title": "Stones", "menu": ["Home",
        "About us and all our friends from everywhere"], "blocks": [{"text": ")" +
                 prose + R"("}, {"text": ")" + prose + R"("}]}}</script>)");

    CHECK(found == "<div><p>" + prose + "</p></div>\n<div><p>" + prose + "</p></div>\n");
}

TEST_CASE("HTML inside JSON inside an attribute is found: the posts of a forum that scripts would draw") {
    const std::string found = embedded(
        R"(<div data-preloaded="{&quot;topic&quot;:&quot;{\&quot;posts\&quot;:[{\&quot;cooked\&quot;:\&quot;<p>First: )" +
        prose + R"(</p>\&quot;},{\&quot;cooked\&quot;:\&quot;<p>Second: )" + prose +
        R"(</p>\&quot;}]}&quot;}"></div>)");

    CHECK(found == "<div><p>First: " + prose + "</p></div>\n<div><p>Second: " + prose + "</p></div>\n");
}

TEST_CASE("data without prose gives nothing") {
    const char* pages[] = {
        R"(<script type="application/json">{"a": 1, "b": ["x", "y"]}</script>)",
        R"(<script type="application/json">{"broken": )",
        R"(<script type="application/json">{"path": "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z"}</script>)",
        R"(<script>var text = "not JSON at all";</script>)",
        R"(<p>ordinary</p>)",
    };
    for (const char* page : pages) CHECK_MESSAGE(embedded(page).empty(), page);
}

TEST_CASE("data that is nested without end is left alone") {
    CHECK(embedded("<script type='application/json'>" + std::string(1'000'000, '[') + "</script>").empty());
}

TEST_CASE("a page that only describes itself gives title and description") {
    const auto tree =
        html::parse("<title>A &amp; B</title><meta name=description content='All about <stones>.'>");

    CHECK(described_html(tree) == "<h1>A &amp; B</h1><div><p>All about &lt;stones&gt;.</p></div>\n");
    CHECK(described_html(html::parse("<title>Nothing more</title>")).empty());
}
