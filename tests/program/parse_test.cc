// POST /v2/parse: files that clients send along.
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/service.h"
#include "program/small_pdf.h"

using namespace quarry::test;
namespace json = boost::json;

namespace {

std::string part(std::string_view disposition, std::string_view body) {
    return fmt::format("--XX\r\nContent-Disposition: form-data; {}\r\n\r\n{}\r\n", disposition, body);
}

ApiAnswer parse(const Service& service, const std::string& parts) {
    return service.client.ask(
        "POST",
        "/v2/parse HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=XX\r\nX: ", parts + "--XX--\r\n");
}

}  // namespace

TEST_CASE("a file that is sent along is read like a page, whichever part comes first") {
    const DataHome home;
    const Service service(home);
    const std::string file = part("name=\"file\"; filename=\"a.html\"",
                                  "<title>Stone</title><article><p>Words <a href='http://a.example/'>of</a> "
                                  "granite.</p></article>");
    const std::string options = part("name=\"options\"", R"({"formats":["markdown","links"]})");

    const json::value first = parse(service, file + options).json();
    const json::value last = parse(service, options + file).json();

    REQUIRE(first.at("success") == true);
    CHECK(first.at("data").at("markdown") == "Words [of](http://a.example/) granite.\n");
    CHECK(first.at("data").at("links") == json::array{"http://a.example/"});
    CHECK(first.at("data").at("metadata").at("title") == "Stone");
    CHECK(last.at("data").at("markdown") == first.at("data").at("markdown"));
}

TEST_CASE("a PDF is read in its own process, and counted in pages") {
    const DataHome home;
    const Service service(home);

    const json::value answer =
        parse(service, part("name=\"file\"; filename=\"paper.pdf\"", small_pdf("Thoughts about tuff")))
            .json();

    REQUIRE(answer.at("success") == true);
    CHECK(answer.at("data").at("markdown").as_string().find("Thoughts about tuff") != json::string::npos);
    CHECK(answer.at("data").at("metadata").at("numPages") == 1);
}

TEST_CASE("a file may have any name") {
    const DataHome home;
    const Service service(home);

    const json::value answer =
        parse(service, part("name=\"file\"; filename=\"caf\xE9.html\"", "<p>Words of granite.")).json();

    REQUIRE(answer.is_object());
    CHECK(answer.at("data").at("metadata").at("sourceURL") == "caf\xEF\xBF\xBD.html");
}

TEST_CASE("what cannot be parsed is refused in a sentence") {
    const DataHome home;
    const Service service(home);
    struct Row {
        std::string parts;
        int status;
        const char* code;
    };
    const std::string page = part("name=\"file\"; filename=\"a.html\"", "<p>words");
    const Row rows[] = {
        {part("name=\"file\"; filename=\"a.docx\"", "PK\x03\x04 and so on"), 415,
         "SCRAPE_UNSUPPORTED_FILE_ERROR"},
        {part("name=\"file\"; filename=\"a.pdf\"", "%PDF-1.4\nnot really"), 400, "SCRAPE_CORRUPT_FILE_ERROR"},
        {part("name=\"options\"", "{}"), 400, "BAD_REQUEST"},
        {page + part("name=\"options\"", "["), 400, "BAD_REQUEST"},
        {page + part("name=\"options\"", R"({"formats":["summary"]})"), 400, "BAD_REQUEST"},
        {page + part("name=\"options\"", R"({"includeTags":["p[["]})"), 400, "BAD_REQUEST"},
        {"", 400, "BAD_REQUEST"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.parts);
        const ApiAnswer answer = parse(service, row.parts);
        CHECK(answer.status == row.status);
        CHECK(answer.json().at("code") == row.code);
        CHECK_FALSE(answer.json().at("error").as_string().empty());
    }
    const ApiAnswer plain = service.client.post("/v2/parse", "{}");
    CHECK(plain.status == 415);
}
