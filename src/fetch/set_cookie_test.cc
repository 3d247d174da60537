#include "fetch/set_cookie.h"

#include <doctest/doctest.h>

using namespace quarry::fetch;
using namespace std::chrono_literals;

TEST_CASE("a cookie has a name, a value and attributes in any case and order") {
    const auto cookie = parse_set_cookie(
        " sid = a=b ; SECURE; path=/docs;HttpOnly; Domain=.Example.COM; max-age=60; Expires=Sun, 06 Nov 1994 "
        "08:49:37 "
        "GMT; SameSite=Lax");

    REQUIRE(cookie);
    CHECK(cookie->name == "sid");
    CHECK(cookie->value == "a=b");
    CHECK(cookie->domain == "example.com");
    CHECK(cookie->path == "/docs");
    CHECK(cookie->is_secure);
    CHECK(cookie->max_age == 60s);
    CHECK(cookie->expires == std::chrono::sys_seconds{784111777s});
}

TEST_CASE("attributes that make no sense are left out") {
    const auto cookie =
        parse_set_cookie("a=1; Path=docs; Max-Age=soon; Expires=never; Domain; Secure=yes; ; =; x");

    REQUIRE(cookie);
    CHECK(cookie->path.empty());
    CHECK_FALSE(cookie->max_age);
    CHECK_FALSE(cookie->expires);
    CHECK(cookie->domain.empty());
    CHECK(cookie->is_secure);
}

TEST_CASE("the age of a cookie is bounded") {
    CHECK(parse_set_cookie("a=1; Max-Age=-1")->max_age == 0s);
    CHECK(parse_set_cookie("a=1; Max-Age=99999999999999999999")->max_age == std::chrono::hours(24 * 400));
}

TEST_CASE("a header that is no cookie is ignored") {
    using namespace std::string_literals;
    for (const std::string& text :
         {""s, "a"s, "=b"s, "; a=b"s, "a=b\r\nX: y"s, "a=\0"s, "a=\x7f"s, "a=" + std::string(4096, 'x')})
        CHECK_MESSAGE(!parse_set_cookie(text), text);
    CHECK(parse_set_cookie("a="));
    CHECK(parse_set_cookie("a=" + std::string(4095, 'x')));
}
