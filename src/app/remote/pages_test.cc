#include "app/remote/pages.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::app;
namespace json = boost::json;

TEST_CASE("the answer to a scrape becomes the record of a page") {
    const json::value answer = json::parse(R"({"success": true, "data": {
        "markdown": "# Words", "links": ["https://a.example/b"], "images": [], "warning": "cut",
        "metadata": {"title": "A title", "statusCode": 200, "url": "https://a.example/",
                     "sourceURL": "http://a.example/", "contentType": "text/html", "ogTitle": "An og title",
                     "keywords": ["one", "two"], "creditsUsed": 1}}})");

    const work::ScrapeRecord record = read_scrape_answer("http://a.example/", answer);

    REQUIRE(record.success());
    CHECK(record.url == "http://a.example/");
    CHECK(record.final_url == "https://a.example/");
    CHECK(record.status_code == 200);
    CHECK(record.content_type == "text/html");
    CHECK(record.document->markdown == "# Words");
    CHECK(record.document->links.at(0).url == "https://a.example/b");
    CHECK(record.document->warning == "cut");
    const json::object metadata = to_json(record, Formats{}).at("metadata").as_object();
    CHECK(metadata.at("title") == "A title");
    CHECK(metadata.at("ogTitle") == "An og title");
    CHECK(metadata.at("keywords").as_array().size() == 2);
    CHECK_FALSE(metadata.contains("creditsUsed"));
}

TEST_CASE("a page that a server could not give is a failure with a sentence") {
    struct {
        const char* answer;
        const char* message;
    } const cases[] = {
        {R"({"success": true, "data": {"metadata": {"statusCode": 404}}})", "HTTP 404 Not Found"},
        {R"({"success": false, "error": "the name does not resolve"})", "the name does not resolve"},
        {R"({"success": true})", "the server gave no page"},
        {R"([])", "the server gave no page"},
    };
    for (const auto& [answer, message] : cases) {
        CAPTURE(answer);
        const work::ScrapeRecord record = read_scrape_answer("https://a.example/", json::parse(answer));
        REQUIRE_FALSE(record.success());
        CHECK(record.error->message == message);
    }
    const work::ScrapeRecord refused =
        read_scrape_answer("https://a.example/", std::unexpected(Error{ErrorCode::refused, "it is private"}));
    CHECK(refused.error->code == ErrorCode::refused);
}

TEST_CASE("what goes into an address is escaped") {
    CHECK(escaped("a/b c?d=é") == "a%2Fb%20c%3Fd%3D%C3%A9");
    CHECK(escaped("plain-1.0_~") == "plain-1.0_~");
}
