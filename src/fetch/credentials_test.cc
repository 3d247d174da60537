#include "fetch/redirect.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::fetch;

namespace {

std::string login_for(const Credentials& credentials, std::string_view address,
                      std::string_view owner = "local", std::vector<Header> headers = {}) {
    credentials.add_to(headers, url::Url::parse(address).value(), owner);
    return std::string(header_value(headers, "authorization"));
}

}  // namespace

TEST_CASE("credentials are for one scheme, host and port") {
    const Credentials credentials(
        std::vector<Credential>{{.origin = "https://wiki.example", .authorization = "Bearer w"},
                                {.origin = "http://127.0.0.1:8080", .authorization = "Basic b"}});

    CHECK(login_for(credentials, "https://wiki.example/a/b?c") == "Bearer w");
    CHECK(login_for(credentials, "https://WIKI.example:443/") == "Bearer w");
    CHECK(login_for(credentials, "http://127.0.0.1:8080/x") == "Basic b");
    for (const char* other :
         {"http://wiki.example/", "https://wiki.example:8443/", "https://www.wiki.example/",
          "https://wiki.example.evil.example/", "https://wiki.example@evil.example/", "http://127.0.0.1/",
          "http://127.0.0.1:80800/", "https://127.0.0.1:8080/"}) {
        CAPTURE(other);
        if (url::Url::parse(other)) CHECK(login_for(credentials, other) == "");
    }
}

TEST_CASE("credentials are for the owners that they name") {
    const Credentials credentials(
        {{.origin = "https://a.example", .authorization = "Bearer mine"},
         {.origin = "https://b.example", .authorization = "Bearer one", .owners = {"team-a"}},
         {.origin = "https://b.example", .authorization = "Bearer two", .owners = {"team-b"}},
         {.origin = "https://c.example", .authorization = "Bearer all", .owners = {"*"}}});

    CHECK(login_for(credentials, "https://a.example/") == "Bearer mine");
    CHECK(login_for(credentials, "https://a.example/", "team-a") == "");
    CHECK(login_for(credentials, "https://b.example/") == "");
    CHECK(login_for(credentials, "https://b.example/", "team-a") == "Bearer one");
    CHECK(login_for(credentials, "https://b.example/", "team-b") == "Bearer two");
    CHECK(login_for(credentials, "https://c.example/", "anybody") == "Bearer all");
}

TEST_CASE("a request that brings its own Authorization keeps it") {
    const Credentials credentials(
        std::vector<Credential>{{.origin = "https://a.example", .authorization = "Bearer mine"}});

    CHECK(login_for(credentials, "https://a.example/", "local", {{"authorization", "Bearer own"}}) ==
          "Bearer own");
}
