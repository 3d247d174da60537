#include "fetch/cookies.h"

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

using namespace quarry::fetch;
using quarry::url::Url;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::sys_seconds now{1'700'000'000s};

Url url(const char* text) {
    return Url::parse(text).value();
}

// What is sent to `to` after `from` has set a cookie.
std::string sent(const char* from, const char* set_cookie, const char* to) {
    CookieJar jar;
    jar.store(url(from), set_cookie, now);
    return jar.header_for(url(to));
}

}  // namespace

TEST_CASE("a cookie goes back where the rules let it") {
    struct Row {
        const char* from;
        const char* set_cookie;
        const char* to;
        bool is_sent;
        const char* reason;
    };
    constexpr Row rows[] = {
        {"http://a.example/", "a=1", "http://a.example/x", true, "the same host"},
        {"http://a.example/", "a=1", "http://a.example:8080/", true, "ports do not divide cookies"},
        {"http://a.example/", "a=1", "http://b.a.example/", false, "without a domain only the host itself"},
        {"http://a.example/", "a=1; Domain=a.example", "http://b.a.example/", true,
         "a domain holds its subdomains"},
        {"http://b.a.example/", "a=1; Domain=a.example", "http://a.example/", true, "a subdomain may set it"},
        {"http://a.example/", "a=1; Domain=b.example", "http://b.example/", false, "another host's cookie"},
        {"http://a.example/", "a=1; Domain=b.a.example", "http://b.a.example/", false, "a narrower domain"},
        {"http://xa.example/", "a=1; Domain=a.example", "http://a.example/", false,
         "a suffix that is no subdomain"},
        {"http://a.co.uk/", "a=1; Domain=co.uk", "http://b.co.uk/", false, "a public suffix"},
        {"http://a.github.io/", "a=1; Domain=github.io", "http://b.github.io/", false, "a private suffix"},
        {"http://a.example/", "a=1; Domain=example", "http://b.example/", false, "a top-level domain"},
        {"http://127.0.0.1/", "a=1; Domain=127.0.0.1", "http://127.0.0.1/", true,
         "an address is its own domain"},
        {"http://127.0.0.1/", "a=1; Domain=0.0.1", "http://127.0.0.1/", false,
         "an address has no subdomains"},
        {"http://a.example/", "a=1; Secure", "https://a.example/", false, "Secure cannot be set over http"},
        {"https://a.example/", "a=1; Secure", "http://a.example/", false, "nor be sent over it"},
        {"https://a.example/", "a=1; Secure", "https://a.example/", true, "but over https"},
        {"http://a.example/docs/x", "a=1", "http://a.example/docs/y", true, "the default path is the folder"},
        {"http://a.example/docs/x", "a=1", "http://a.example/other", false, "and only that"},
        {"http://a.example/", "a=1; Path=/docs", "http://a.example/docs", true, "the path itself"},
        {"http://a.example/", "a=1; Path=/docs", "http://a.example/docs/x", true, "what is below it"},
        {"http://a.example/", "a=1; Path=/docs", "http://a.example/docsx", false, "not what begins like it"},
        {"http://a.example/", "a=1; Max-Age=0", "http://a.example/", false, "dead on arrival"},
        {"http://a.example/", "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "http://a.example/", false,
         "expired"},
        {"http://a.example/", "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Max-Age=9", "http://a.example/",
         true, "Max-Age wins"},
        {"https://a.example/", "__Host-a=1; Secure; Path=/", "https://a.example/", true, "keeps its promise"},
        {"https://a.example/", "__Host-a=1; Secure; Path=/; Domain=a.example", "https://a.example/", false,
         "breaks it"},
        {"https://a.example/", "__Secure-a=1", "https://a.example/", false, "breaks it"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(!sent(row.from, row.set_cookie, row.to).empty() == row.is_sent);
    }
}

TEST_CASE("cookies of longer paths come first, a newer value replaces an older, and expiry removes") {
    CookieJar jar;
    const Url page = url("http://a.example/docs/x");
    jar.store(page, "a=1; Path=/", now);
    jar.store(page, "b=2; Path=/docs", now);
    jar.store(page, "a=3; Path=/", now);
    CHECK(jar.header_for(page) == "b=2; a=3");

    jar.store(page, "b=; Path=/docs; Max-Age=0", now);
    CHECK(jar.header_for(page) == "a=3");
}

TEST_CASE("a jar holds a bounded number of cookies and sends bounded headers") {
    CookieJar jar;
    const Url page = url("http://a.example/");
    for (int i = 0; i < 1000; ++i) jar.store(page, std::to_string(i) + "=" + std::string(4000, 'x'), now);
    CHECK(jar.header_for(page).size() <= 16 * 1024 + 100);
}
