#include "api/gate.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::api;

TEST_CASE("only names that no DNS decides mean this machine") {
    for (const char* host : {"localhost", "localhost:3002", "127.0.0.1", "127.0.0.1:3002", "127.1.2.3:80",
                             "[::1]", "[::1]:3002"}) {
        CAPTURE(host);
        CHECK(is_this_machine(host));
    }
    for (const char* host :
         {"", ":3002", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "127.evil",
          "128.0.0.1", "[::2]", "::1", "0x7f.1", "127.0.0.1@evil.example", "[::1].evil.example"}) {
        CAPTURE(host);
        CHECK_FALSE(is_this_machine(host));
    }
}

TEST_CASE("requests for another's name, and from another's pages, are refused") {
    const auto refusal = [](const char* host, const char* origin) {
        Request request{.headers = {{.name = "Host", .value = host}}};
        if (origin) request.headers.push_back({.name = "Origin", .value = origin});
        return refusal_of_stranger(request).has_value();
    };

    CHECK_FALSE(refusal("127.0.0.1:3002", nullptr));
    CHECK_FALSE(refusal("localhost:3002", "http://localhost:5173"));
    CHECK(refusal("rebound.example:3002", nullptr));
    CHECK(refusal("127.0.0.1:3002", "https://evil.example"));
    CHECK(refusal("127.0.0.1:3002", "null"));
    CHECK(refusal("127.0.0.1:3002", "file://"));
    CHECK(refusal("127.0.0.1:3002", "http://127.0.0.1.evil.example"));
    CHECK(refusal_of_stranger(Request{}).has_value());
}
