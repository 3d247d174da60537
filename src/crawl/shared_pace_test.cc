#include <doctest/doctest.h>

#include "crawl/politeness.h"

using namespace quarry;
using namespace quarry::crawl;
using namespace std::chrono_literals;
using Failure = Observation::Failure;

namespace {

constexpr GroupId slow{1}, quick{2}, third{3};
const Timestamp begin{std::chrono::milliseconds(1'000'000)};

}  // namespace

TEST_CASE("a delay that one crawl asks for is its own") {
    SharedPace pace;
    pace.obey(slow, "ann", {.delay = 3600s});
    pace.obey(quick, "bob", {});

    pace.started(slow, begin);
    CHECK(pace.may_start(quick, begin));
    pace.started(quick, begin);
    CHECK(pace.may_start(quick, begin));
    CHECK_FALSE(pace.may_start(slow, begin));
    pace.ended(slow, begin + 1s, {.status = 200});

    CHECK(pace.next_start(slow, begin + 1s) == begin + 3600s);
    CHECK(pace.may_start(quick, begin + 1s));
    CHECK(pace.may_start(slow, begin + 3600s));
}

TEST_CASE("connections that one crawl was given are its own") {
    SharedPace pace;
    pace.obey(slow, "ann", {.connections = 2});
    pace.obey(quick, "bob", {.connections = 10});

    for (int i = 0; i < 2; ++i) pace.started(slow, begin);

    CHECK_FALSE(pace.may_start(slow, begin));
    CHECK(pace.may_start(quick, begin));
}

TEST_CASE("what robots.txt asks for, and 429 with Retry-After, hold for all crawls of a host") {
    SharedPace pace;
    pace.obey(slow, "ann", {.crawl_delay = 10s});
    pace.obey(quick, "bob", {});

    pace.started(slow, begin);
    CHECK(pace.next_start(quick, begin) == begin + 10s);
    pace.ended(slow, begin + 1s, {.status = 429, .retry_after = 60s});

    CHECK(pace.next_start(quick, begin + 1s) == begin + 61s);
    CHECK(pace.next_start(slow, begin + 1s) == begin + 61s);
}

TEST_CASE("pages of one crawl that cannot be connected to pause that crawl, and no other") {
    SharedPace pace;
    pace.obey(slow, "ann", {});
    pace.obey(quick, "bob", {});

    for (int i = 0; i < 5; ++i) {
        const Timestamp now = begin + i * 100s;
        pace.started(slow, now);
        pace.ended(slow, now + 1ms, {.failure = Failure::connection});
    }
    const Timestamp now = begin + 400s + 1ms;

    CHECK_FALSE(pace.may_start(slow, now));
    CHECK(pace.may_start(quick, now));
}

TEST_CASE("requests of one owner that hang leave another a connection") {
    SharedPace pace;
    pace.obey(slow, "ann", {.connections = 4});
    pace.obey(third, "ann", {.connections = 4});
    pace.obey(quick, "bob", {.connections = 4});
    for (int i = 0; i < 4; ++i) pace.started(slow, begin);

    CHECK_FALSE(pace.may_start(third, begin));
    CHECK(pace.may_start(quick, begin));
    pace.started(quick, begin);

    CHECK_FALSE(pace.may_start(quick, begin));
}

TEST_CASE("a crawl that is over slows nobody down") {
    SharedPace pace;
    pace.obey(slow, "ann", {.crawl_delay = 10s});
    pace.obey(quick, "bob", {});
    pace.started(slow, begin);
    pace.forget(slow);
    pace.ended(slow, begin + 1s, {.status = 200});

    CHECK(pace.may_start(quick, begin + 1s));
    CHECK(pace.is_at_rest(begin + 1s));
}

TEST_CASE("a host is not at rest while a crawl's delay has to be remembered") {
    SharedPace pace;
    pace.obey(slow, "ann", {.delay = 60s});
    pace.started(slow, begin);
    CHECK_FALSE(pace.is_at_rest(begin));
    pace.ended(slow, begin + 1s, {.status = 200});

    CHECK_FALSE(pace.is_at_rest(begin + 59s));
    CHECK(pace.is_at_rest(begin + 60s));
}
