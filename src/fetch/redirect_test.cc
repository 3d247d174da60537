#include "fetch/redirect.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::fetch;
using url::Url;

namespace {

Result<Url> target(const char* from, const char* location) {
    return redirect_target(Url::parse(from).value(), location);
}

}  // namespace

TEST_CASE("five statuses redirect, if they say where to") {
    for (const int status : {301, 302, 303, 307, 308}) {
        CHECK(is_redirect(status, {{"location", "/x"}}));
        CHECK_FALSE(is_redirect(status, {}));
    }
    for (const int status : {200, 201, 300, 304, 305, 404})
        CHECK_FALSE(is_redirect(status, {{"Location", "/x"}}));
}

TEST_CASE("a target is resolved, loses credentials and inherits the fragment") {
    CHECK(target("https://a.example/b/c", "d?e")->href() == "https://a.example/b/d?e");
    CHECK(target("https://a.example/", "//b.example/x")->href() == "https://b.example/x");
    CHECK(target("https://a.example/", "https://user:secret@b.example/")->href() == "https://b.example/");
    CHECK(target("https://a.example/#/route", "/x")->href() == "https://a.example/x#/route");
    CHECK(target("https://a.example/#old", "/x#new")->href() == "https://a.example/x#new");
}

TEST_CASE("a target that is no URL or not http is an error") {
    const auto broken = target("https://a.example/", "https://a b/");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == ErrorCode::corrupt);
    CHECK(broken.error().message == "redirected to \"https://a b/\", which is not a URL");
    for (const char* location :
         {"file:///etc/passwd", "data:,x", "javascript:alert(1)", "ftp://a.example/", "s3://b"}) {
        const auto refused = target("https://a.example/", location);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::refused);
    }
}

TEST_CASE("an origin is scheme, host and port") {
    const auto same = [](const char* a, const char* b) {
        return is_same_origin(Url::parse(a).value(), Url::parse(b).value());
    };
    CHECK(same("https://a.example/x", "https://a.example:443/y"));
    CHECK_FALSE(same("https://a.example/", "http://a.example/"));
    CHECK_FALSE(same("https://a.example/", "https://b.a.example/"));
    CHECK_FALSE(same("https://a.example/", "https://a.example:8443/"));
}

TEST_CASE("only harmless headers go to another origin") {
    const auto kept = headers_without_secrets({{"Authorization", "x"},
                                               {"cookie", "x"},
                                               {"X-Api-Key", "x"},
                                               {"accept-language", "de"},
                                               {"Proxy-Token", "x"},
                                               {"User-Agent", "me"}});
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].name == "accept-language");
    CHECK(kept[1].name == "User-Agent");
}

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
