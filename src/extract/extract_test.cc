#include "extract/extract.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::extract;

namespace {

Page page_of(std::string content_type, std::string body, std::string url = "https://a.example/d/page") {
    Page page{.url = url, .final_url = url, .status = 200};
    page.content_type = std::move(content_type);
    page.body = std::move(body);
    return page;
}

const std::string article =
    "<!DOCTYPE html><html lang=en><head><title>On Stones - The Site</title></head><body>"
    "<nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<main><article><h1>On Stones</h1><p>Stones are hard, and there are a great many of them in the quarry "
    "below the "
    "hill, where people have cut them for centuries.</p><p>They are used for <a href=houses>houses</a>, for "
    "walls and "
    "for roads, and what is left over is crushed into gravel and carried away.</p><img src=stone.jpg alt='A "
    "stone'>"
    "</article></main><footer>All rights reserved</footer></body></html>";

}  // namespace

TEST_CASE("a page gives its main content, its facts and its links") {
    ExtractOptions options;
    options.formats = {.html = true, .raw_html = true, .text = true, .links = true, .images = true};

    const Document document = extract::extract(page_of("text/html", article), options).value();

    CHECK(document.url == "https://a.example/d/page");
    CHECK(document.markdown.find("Stones are hard") != std::string::npos);
    CHECK(document.markdown.find("[houses](https://a.example/d/houses)") != std::string::npos);
    CHECK(document.markdown.find("All rights reserved") == std::string::npos);
    CHECK(document.html.find("<a href=\"https://a.example/d/houses\">") != std::string::npos);
    CHECK(document.text.find("They are used for houses, for walls") != std::string::npos);
    CHECK(document.raw_html == article);
    CHECK(document.metadata.title == "On Stones - The Site");
    CHECK(document.metadata.language == "en");
    REQUIRE(document.links.size() == 3);
    CHECK(document.links[0].url == "https://a.example/");
    REQUIRE(document.images.size() == 1);
    CHECK(document.images[0].alt == "A stone");
    CHECK(document.warning == "");
}

TEST_CASE("nothing that was not asked for is computed") {
    const Document document =
        extract::extract(page_of("text/html", article), {.formats = {.metadata = false}}).value();

    CHECK_FALSE(document.markdown.empty());
    CHECK(document.html.empty());
    CHECK(document.raw_html.empty());
    CHECK(document.text.empty());
    CHECK(document.links.empty());
    CHECK(document.images.empty());
    CHECK(document.metadata.title.empty());
}

TEST_CASE("the whole page is kept when asked for") {
    const Document document = extract::extract(page_of("text/html", article), {.full_page = true}).value();

    CHECK(document.markdown.find("About") != std::string::npos);
    CHECK(document.markdown.find("All rights reserved") != std::string::npos);
}

TEST_CASE("selectors choose what is kept and what is left out, wherever on the page") {
    const Page page = page_of("text/html", article);

    CHECK(extract::extract(page, {.include_tags = {"footer"}})->markdown == "All rights reserved\n");
    CHECK(extract::extract(page, {.full_page = true, .exclude_tags = {"main", "nav"}})->markdown ==
          "All rights reserved\n");
    CHECK(extract::extract(page, {.include_tags = {"p[["}}).error().code == ErrorCode::invalid_argument);
    CHECK(extract::extract(page, {.include_tags = {"video"}}).error().code == ErrorCode::not_found);
}

TEST_CASE("the language is detected where the page does not state it") {
    const std::string german =
        "<p>Die Steine liegen seit vielen Jahrhunderten im Steinbruch unter dem Hügel, und niemand weiß "
        "genau, wer sie "
        "dort zuerst gebrochen hat. Sie werden für Häuser, Mauern und Straßen verwendet.</p>";

    CHECK(extract::extract(page_of("text/html; charset=utf-8", german))->metadata.language == "de");
}

TEST_CASE("a page in another encoding is converted") {
    const Page page =
        page_of("text/html; charset=iso-8859-1", "<p>na\xefve caf\xe9 culture in the old town of Bern</p>");

    CHECK(extract::extract(page)->markdown == "naïve café culture in the old town of Bern\n");
}

TEST_CASE("plain text stays as it is") {
    const Document document =
        extract::extract(page_of("text/plain", "A title\n\n  * not a list *  \n# not a heading")).value();

    CHECK(document.markdown == "A title\n\n  * not a list *  \n# not a heading\n");
    CHECK(document.metadata.title == "A title");
    CHECK(extract::extract(page_of("text/plain", std::string(200, 'x')))->metadata.title == "page");
}

TEST_CASE("markdown stays as it is, and its front matter becomes metadata") {
    ExtractOptions options;
    options.formats.links = true;
    const Document document =
        extract::extract(
            page_of("text/markdown", "---\ntitle: T\nauthor: Ann\ndate: 5 March 2024\n---\n# H\n\n[l](x)\n"),
            options)
            .value();

    CHECK(document.markdown == "# H\n\n[l](x)\n");
    CHECK(document.metadata.title == "T");
    CHECK(document.metadata.author == "Ann");
    CHECK(document.metadata.published == "2024-03-05");
    REQUIRE(document.links.size() == 1);
    CHECK(document.links[0].url == "https://a.example/d/x");
    CHECK(extract::extract(page_of("text/markdown", "intro\n\n## The *H* ##\n"))->metadata.title ==
          "The *H*");
}

TEST_CASE("JSON becomes a code block") {
    CHECK(extract::extract(page_of("application/json", R"({"a":[1]})"))->markdown ==
          "```json\n{\n  \"a\": [\n    1\n  ]\n}\n```\n");
}

TEST_CASE("a feed becomes its items") {
    const Document document =
        extract::extract(
            page_of(
                "application/rss+xml",
                "<rss><channel><title>News</title><item><title>One &amp; only</title><link>/1</link>"
                "<pubDate>Tue, 05 Mar 2024 10:20:30 GMT</pubDate>"
                "<description>&lt;p&gt;A &lt;b&gt;bold&lt;/b&gt; start</description></item></channel></rss>"))
            .value();

    CHECK(document.markdown ==
          "# News\n\n## [One & only](https://a.example/1)\n\n2024-03-05T10:20:30Z\n\nA **bold** start\n");
    CHECK(document.metadata.title == "News");
}

TEST_CASE("what is no document is refused in a sentence that says what it is") {
    struct Row {
        const char* content_type;
        std::string body;
        const char* message;
    };
    const Row rows[] = {
        {"image/png", "\x89PNG\r\n\x1A\n....", "PNG image (image/png), not a document that quarry can read"},
        {"image/png", "", "image (image/png), not a document that quarry can read"},
        {"application/pdf", "%PDF-1.4",
         "PDF document (application/pdf), not a document that quarry can read"},
    };
    for (const Row& row : rows) {
        const auto document = extract::extract(page_of(row.content_type, row.body));
        REQUIRE_FALSE(document);
        CHECK(document.error().code == ErrorCode::unsupported);
        CHECK(document.error().message == row.message);
    }
}

TEST_CASE("a page without text is an error, unless no text was asked for") {
    for (const char* body : {"", "<p> </p>", "<script>x</script>", "<title>t</title>"}) {
        CAPTURE(body);
        const Page page = page_of("text/html", body);
        const auto document = extract::extract(page);
        REQUIRE_FALSE(document);
        CHECK(document.error().code == ErrorCode::not_found);
        CHECK(extract::extract(page, {.formats = {.markdown = false, .links = true}}));
    }
}

TEST_CASE("a page that scripts would fill says so") {
    const auto document =
        extract::extract(page_of("text/html", "<body><div id=root></div><script src=app.js></script>"));

    REQUIRE_FALSE(document);
    CHECK(document.error().message.find("made by scripts") != std::string::npos);

    const auto with_notice =
        extract::extract(page_of("text/html",
                                 "<body><noscript>You need to enable JavaScript to run this app.</noscript>"
                                 "<div id=root></div><script src=app.js></script>"));
    REQUIRE_FALSE(with_notice);
    CHECK(with_notice.error().message.find("made by scripts") != std::string::npos);
}

TEST_CASE("a page without words is kept with its links when that was asked for") {
    const Page page{.final_url = "https://a.example/",
                    .status = 200,
                    .content_type = "text/html",
                    .body = "<title>T</title><a href=/b></a>"};
    extract::ExtractOptions options{.when_empty = extract::WhenEmpty::keep};
    options.formats.links = true;

    const auto document = extract::extract(page, options);

    REQUIRE(document);
    CHECK(document->markdown.empty());
    REQUIRE(document->links.size() == 1);
    CHECK(document->links[0].url == "https://a.example/b");
    CHECK(document->warning == "the page has no text");
    CHECK(document->no_text == document->warning);
    CHECK(extract::extract(page).error().code == ErrorCode::not_found);
}
