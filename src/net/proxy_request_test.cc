#include "net/proxy_request.h"

#include <limits>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::net;

TEST_CASE("only what is asked of a proxy is understood, and the host is read as a browser reads it") {
    struct Row {
        std::string line;
        std::string host;  // "" if it is refused
        std::uint16_t port;
        const char* reason;
    };
    const Row rows[] = {
        {"CONNECT a.example:443 HTTP/1.1", "a.example", 443, "a tunnel"},
        {"CONNECT [::1]:8443 HTTP/1.1", "[::1]", 8443, "to an IPv6 address"},
        {"CONNECT 2130706433:80 HTTP/1.1", "127.0.0.1", 80, "digits are an address"},
        {"CONNECT a.example HTTP/1.1", "", 0, "without a port"},
        {"CONNECT user@a.example:443 HTTP/1.1", "", 0, "with a user"},
        {"CONNECT a.example:443/x HTTP/1.1", "", 0, "with a path"},
        {"CONNECT b.example\\@a.example:443 HTTP/1.1", "", 0, "two parsers, two hosts"},
        {"GET http://a.example/x?y#z HTTP/1.1", "a.example", 80, "a request for http"},
        {"GET http://a.example:8080 HTTP/1.1", "a.example", 8080, "with a port"},
        {"POST http://0x7f.1/ HTTP/1.0", "127.0.0.1", 80, "in other digits"},
        {"GET /x HTTP/1.1", "", 0, "what a server is asked: a page elsewhere was led here"},
        {"GET https://a.example/ HTTP/1.1", "", 0, "https comes as a tunnel"},
        {"GET file:///etc/passwd HTTP/1.1", "", 0, "a file"},
        {"GET ftp://a.example/ HTTP/1.1", "", 0, "another scheme"},
        {"GET http://a.example/ HTTP/2", "", 0, "another protocol"},
        {"get http://a.example/ HTTP/1.1", "", 0, "a method that is none"},
        {"GET  http://a.example/ HTTP/1.1", "", 0, "two spaces"},
        {"", "", 0, "nothing"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const auto request = parse_proxy_request(row.line + "\r\nHost: other.example\r\n\r\n");
        REQUIRE(request.has_value() == !row.host.empty());
        if (!request) continue;
        CHECK(request->host == row.host);
        CHECK(request->port == row.port);
    }
}

TEST_CASE("a server gets the request without what is between browser and proxy, and for its own host") {
    const auto request = parse_proxy_request(
                             "POST http://a.example:8080/x?y=%20z#w HTTP/1.1\r\nHost: b.example\r\n"
                             "Proxy-Connection: keep-alive\r\nProxy-Authorization: secret\r\nAccept: */*\r\n"
                             "Content-Length: 5\r\nConnection: keep-alive\r\n\r\n")
                             .value();

    CHECK(request.head ==
          "POST /x?y=%20z HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nContent-Length: 5\r\n"
          "Connection: close\r\n\r\n");
    CHECK(request.body_bytes == 5);
}

TEST_CASE("headers that two readers could read differently are refused") {
    const auto is_taken = [](const std::string& headers) {
        return parse_proxy_request("GET http://a.example/ HTTP/1.1\r\n" + headers + "\r\n").has_value();
    };
    CHECK(is_taken("A: b\r\n"));
    CHECK_FALSE(is_taken("A: b\r\n c: d\r\n"));
    CHECK_FALSE(is_taken("A\r\n"));
    CHECK_FALSE(is_taken("A: b\rc\r\n"));
    CHECK_FALSE(is_taken("Content-Length: x\r\n"));
    CHECK(parse_proxy_request("POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
              ->body_bytes == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("the browser is told that a connection ends with its answer") {
    const auto answer = parse_proxy_response(
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Type: "
        "text/html\r\n\r\n");

    REQUIRE(answer);
    CHECK_FALSE(answer->is_interim);
    CHECK(answer->head == "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n");
    CHECK(parse_proxy_response("HTTP/1.1 100 Continue\r\n\r\n")->is_interim);
    CHECK_FALSE(parse_proxy_response("ICY 200 OK\r\n\r\n"));
    CHECK_FALSE(parse_proxy_response("HTTP/1.1 2OO OK\r\n\r\n"));
}

TEST_CASE("a head ends with its empty line") {
    CHECK(end_of_head("A\r\n\r\nB") == 5);
    CHECK(end_of_head("A\n\nB") == 3);
    CHECK(end_of_head("A\r\nB\r\n") == 0);
    CHECK(end_of_head("") == 0);
}
