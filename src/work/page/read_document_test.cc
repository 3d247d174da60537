#include "work/page/read_document.h"

#include <string>

#include <doctest/doctest.h>

#include "net/http_message.h"
#include "url/url.h"

using namespace quarry;
using namespace quarry::work;

TEST_CASE("addresses are read as people type them") {
    struct Row {
        const char* text;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"https://a.example/x", "https://a.example/x", "complete"},
        {" a.example/x \n", "http://a.example/x", "without scheme"},
        {"localhost:8080/x", "http://localhost:8080/x", "a port is no path"},
        {"127.0.0.1", "http://127.0.0.1/", "an address"},
        {"a.example/?u=https://b.example", "http://a.example/?u=https://b.example", "a colon further on"},
        {"HTTP://A.EXAMPLE", "http://a.example/", "any case"},
        {"localhost/x", "http://localhost/x", "this machine"},
        {"wiki:8080", "http://wiki:8080/", "a host of the own network, by its port"},
        {"http://wiki", "http://wiki/", "the same, by its scheme"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CAPTURE(row.reason);
        const auto url = url::parse_page_address(row.text);
        REQUIRE(url);
        CHECK(url->href() == row.expected);
    }
}

TEST_CASE("what quarry cannot fetch is an invalid URL, in a sentence") {
    for (const char* text : {"", "  ", "http://", "ftp://a.example/", "mailto:a@b.example", "http://a b/",
                             "file:///etc/passwd", "notaurl", "notaurl/a.html"}) {
        CAPTURE(text);
        const auto url = url::parse_page_address(text);
        REQUIRE_FALSE(url);
        CHECK(url.error().code == ErrorCode::invalid_argument);
        CHECK(url.error().message.starts_with("Invalid URL"));
    }
    CHECK(url::parse_page_address("wiki").error().message.ends_with(
        "Write http://wiki if that is a host of your network"));
    CHECK(url::parse_page_address("no URL").error().message.ends_with("neither a scheme nor a dot"));
}

TEST_CASE("passwords do not appear in what is shown") {
    CHECK(url::without_secrets("https://ann:secret@a.example/x") == "https://a.example/x");
    CHECK(url::without_secrets("https://a.example/@x") == "https://a.example/@x");
    CHECK(url::without_secrets("http://ann:secret@") == "http://");
    CHECK(url::parse_page_address("ftp://ann:secret@a.example/").error().message.find("secret") ==
          std::string::npos);
    CHECK(url::parse_page_address("http://ann:secret@[x/").error().message.find("secret") ==
          std::string::npos);
}

TEST_CASE("status codes are named") {
    CHECK(net::http_status_line(404) == "HTTP 404 Not Found");
    CHECK(net::http_status_line(599) == "HTTP 599");
}

TEST_CASE("a page is read as what it is") {
    Page page{.final_url = "https://a.example/p", .status = 200, .content_type = "text/html"};
    page.body = "<title>T</title><h1>Heading</h1><p>Some words that make a paragraph.</p>";

    const auto document = read_document(page);

    REQUIRE(document);
    CHECK(document->metadata.title == "T");
    CHECK(document->markdown.find("Some words that make a paragraph.") != std::string::npos);
}

TEST_CASE("a PDF becomes a document like any other") {
    // Without a table of its objects, which readers of PDF can do without.
    const std::string words = "BT /F1 12 Tf 72 700 Td (Stones are hard and heavy.) Tj ET";
    Page page{.final_url = "https://a.example/stones.pdf", .status = 200, .content_type = "application/pdf"};
    page.body =
        "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n"
        "2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj\n"
        "3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << "
        "/F1 << "
        "/Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj\n"
        "4 0 obj << /Length " +
        std::to_string(words.size()) + " >>\nstream\n" + words +
        "\nendstream endobj\n"
        "trailer << /Size 5 /Root 1 0 R >>\n%%EOF\n";
    const fetch::PdfLimits limits{.program = QUARRY_PDF_CHILD};

    const auto document = read_document(page, {.formats = {.text = true}}, limits);

    REQUIRE(document);
    CHECK(document->markdown == "Stones are hard and heavy.\n");
    CHECK(document->text == "Stones are hard and heavy.\n");
    CHECK(document->metadata.pages == 1);
    CHECK(document->metadata.title != "");

    page.body = "%PDF-1.4\nbroken";
    CHECK(read_document(page, {}, limits).error().message.starts_with("the PDF "));
}
