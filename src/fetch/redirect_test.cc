#include "fetch/fetch_redirect.h"

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
