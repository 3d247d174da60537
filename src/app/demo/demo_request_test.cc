#include "app/demo/demo_request.h"

#include <doctest/doctest.h>

using namespace quarry::app;

namespace {

const DemoFiles files = {{"/", {"text/html", "<p>home"}}, {"/robots.txt", {"text/plain", "User-agent: *"}}};

std::string first_line(const std::string& bytes) {
    return bytes.substr(0, bytes.find("\r\n"));
}

}  // namespace

TEST_CASE("a request ends with an empty line, and what follows is the next one") {
    CHECK_FALSE(request_length("").has_value());
    CHECK_FALSE(request_length("GET / HTTP/1.1\r\nHost: a\r\n").has_value());
    CHECK(request_length("GET / HTTP/1.1\r\n\r\nGET /two").value() == 18);
}

TEST_CASE("requests are answered by what they ask for") {
    struct Row {
        const char* request;
        const char* status;
        bool keep_open;
        const char* reason;
    };
    const Row rows[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK", true, "a page"},
        {"HEAD / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", true, "its head"},
        {"GET /?x=1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", true, "a query changes nothing"},
        {"GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK", false, "an old client reads until the end"},
        {"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", "HTTP/1.1 200 OK", false, "as the client wishes"},
        {"GET /none HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found", true, "no such page"},
        {"GET /../etc/passwd HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found", true,
         "there are no files behind it"},
        {"DELETE / HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed", true, "only reading"},
        {"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 400 Bad Request", false,
         "the body would be taken for the next request"},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 400 Bad Request", false,
         "the same"},
        {"GET http://a/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "it is no proxy"},
        {"GET /\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "HTTP/0.9"},
        {"\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "nothing at all"},
        {"GET / SPDY/3\r\n\r\n", "HTTP/1.1 400 Bad Request", false, "another protocol"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const DemoAnswer answer = answer_request(row.request, files);
        CHECK(first_line(answer.bytes) == row.status);
        CHECK(answer.keep_open == row.keep_open);
    }
}

TEST_CASE("an answer says how long it is, also when only its head is wanted") {
    const std::string whole = answer_request("GET / HTTP/1.1\r\n\r\n", files).bytes;
    const std::string head = answer_request("HEAD / HTTP/1.1\r\n\r\n", files).bytes;

    CHECK(whole.find("Content-Length: 7\r\n") != std::string::npos);
    CHECK(whole.find("Content-Type: text/html\r\n") != std::string::npos);
    CHECK(whole == head + "<p>home");
}
