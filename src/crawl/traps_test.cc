#include "crawl/traps.h"

#include <string>

#include <doctest/doctest.h>

#include "crawl/url_identity.h"

using namespace quarry;
using namespace quarry::crawl;

namespace {

url::Url parsed(const std::string& text) {
    return url::Url::parse(text).value();
}

bool trapped(const std::string& path) {
    return is_trap(parsed("https://a.example" + path));
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

// How many of `count` URLs, made of a number each, are admitted.
template <typename Make>
int admitted(ShapeCounter& counter, int count, Make make) {
    int yes = 0;
    for (int i = 0; i < count; ++i) {
        const url::Url url = parsed(std::string("https://a.example") + make(i));
        yes += counter.admit(url, url_key(url, {})) ? 1 : 0;
    }
    return yes;
}

}  // namespace

TEST_CASE("a URL that shows a trap by itself is seen") {
    const std::string traps[] = {
        "/" + std::string(2'000, 'a'),
        repeated("/abc/d" + std::string(3, 'e'), 17),
        "/a/b/a/b/a/b",
        "/x/a/b/a/b/a/b/y",
        "/a/b/c/a/b/c/a/b/c/index.html",
        "/a/a/a/a",
        "/x//////y",
        "/search?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9",
        "/search?f=1&f=2&f=3&f=4&f=5&f=6&f=7&f=8&f=9",
        "/calendar/2101/01",
        "/calendar/2150-06-01/",
        "/calendar?date=2101-01",
        "/calendar?view=month&year=2101&month=1",
    };
    for (const std::string& path : traps) {
        CAPTURE(std::string(path));
        CHECK(trapped(path));
    }
}

TEST_CASE("a sane URL is no trap") {
    const std::string pages[] = {
        "/",
        "",
        "/a/b/a/b",
        "/a/a/a",
        "/a/b/a/c/a/d/a",
        "/docs/15/docs/15/x",
        "/" + std::string(1'900, 'a'),
        "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31/32",
        "/search?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8",
        "/1815/06/18/waterloo",
        "/2011/11/11/",
        "/2026-11-16",
        "/2100/12",
        "/item/2150",
        "/item/2150/13",
        "/item/12150/12",
        "/item/2150/123",
        "/x?id=2150",
        "/x?yearly=2150",
    };
    for (const std::string& path : pages) {
        CAPTURE(std::string(path));
        CHECK_FALSE(trapped(path));
    }
}

TEST_CASE("a fragment does not count towards a URL's length") {
    CHECK_FALSE(trapped("/x#" + std::string(3'000, 'a')));
}

TEST_CASE("a calendar is known by a date at its end or as a parameter") {
    const auto calendar = [](const char* path) {
        return is_calendar(parsed("https://a.example" + std::string(path)));
    };
    CHECK(calendar("/events/2026/11"));
    CHECK(calendar("/events/2026/11/16/"));
    CHECK(calendar("/events/2026-11-16"));
    CHECK(calendar("/events?month=3"));
    CHECK(calendar("/events?day=2026-11-16"));
    CHECK_FALSE(calendar("/2026/11/16/an-article"));
    CHECK_FALSE(calendar("/events"));
    CHECK_FALSE(calendar("/events/2026"));
    CHECK_FALSE(calendar("/parts/4711/99"));
    CHECK_FALSE(calendar("/list?page=2"));
}

TEST_CASE("numbered pages have no limit, however many") {
    ShapeCounter counter({.by_parameters = {10, 10, 10, 10}, .calendar = 10});
    CHECK(admitted(counter, 2'000, [](int i) { return "/page/" + std::to_string(i) + ".html"; }) == 2'000);
}

TEST_CASE("a shape with a query is admitted up to about its limit") {
    ShapeCounter counter({.by_parameters = {1'000, 500, 200, 100}, .calendar = 300});

    const int one = admitted(counter, 5'000, [](int i) { return "/list?page=" + std::to_string(i); });
    const int two = admitted(counter, 5'000, [](int i) { return "/list?sort=a&page=" + std::to_string(i); });
    const int many =
        admitted(counter, 5'000, [](int i) { return "/list?a&b&c&d&page=" + std::to_string(i); });
    const int dates = admitted(counter, 5'000, [](int i) {
        return "/cal/" + std::to_string(1000 + i / 12) + "/" + (i % 12 < 9 ? "0" : "") +
               std::to_string(i % 12 + 1);
    });

    CHECK(one >= 900);
    CHECK(one <= 1'250);
    CHECK(two >= 450);
    CHECK(two <= 700);
    CHECK(many >= 90);
    CHECK(many <= 250);
    CHECK(dates >= 270);
    CHECK(dates <= 450);
}

TEST_CASE("the order of parameters and numbers in the path make no new shape") {
    ShapeCounter counter({.by_parameters = {100, 100, 100, 100}});
    const int yes = admitted(counter, 2'000, [](int i) {
        const std::string n = std::to_string(i);
        return i % 2 == 0 ? "/shop/" + n + "?a=" + n + "&b=1" : "/shop/1?b=1&a=" + n;
    });
    CHECK(yes <= 300);
}

TEST_CASE("one link on every page counts once") {
    ShapeCounter counter({.by_parameters = {100, 100, 100, 100}});
    CHECK(admitted(counter, 20'000, [](int i) { return i % 2 == 0 ? "/find?lang=de" : "/find?lang=en"; }) ==
          20'000);
}

TEST_CASE("shapes do not share their limits, and neither do hosts") {
    ShapeCounter counter({.by_parameters = {100, 100, 100, 100}});
    admitted(counter, 2'000, [](int i) { return "/list?page=" + std::to_string(i); });
    CHECK(admitted(counter, 1, [](int) { return "/other?page=1"; }) == 1);
    CHECK(admitted(counter, 1, [](int) { return "/list?item=1"; }) == 1);
    const url::Url elsewhere = parsed("https://b.example/list?page=1");
    CHECK(counter.admit(elsewhere, url_key(elsewhere, {})));
    CHECK(admitted(counter, 1, [](int) { return "/list?page=99999"; }) == 0);
}
