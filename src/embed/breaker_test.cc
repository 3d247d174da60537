#include <doctest/doctest.h>

#include "embed/service.h"

using namespace quarry;
using namespace quarry::embed;
using namespace std::chrono_literals;

namespace {

const Breaker::Time start{};

void fail_times(Breaker& breaker, int times) {
    for (int i = 0; i < times; ++i) breaker.failed(start, "TEI answered 503");
}

}  // namespace

TEST_CASE("the breaker opens after five failures in a row and says why") {
    Breaker breaker({});
    fail_times(breaker, 4);
    CHECK(breaker.admit(start));

    fail_times(breaker, 1);
    const auto refused = breaker.admit(start + 18s);

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message == "TEI answered 503 (5 failures in a row, next try in 42 s)");
}

TEST_CASE("a success in between starts the count again") {
    Breaker breaker({});
    fail_times(breaker, 4);
    breaker.succeeded();
    fail_times(breaker, 4);

    CHECK(breaker.admit(start));
    CHECK(breaker.is_troubled());
}

TEST_CASE("after a minute one call tries, and the others wait for how it ends") {
    Breaker breaker({});
    fail_times(breaker, 5);
    CHECK_FALSE(breaker.admit(start + 59s));
    CHECK(breaker.admit(start + 60s));
    CHECK(breaker.admit(start + 60s).error().message ==
          "TEI answered 503 (5 failures in a row, being tried now)");

    SUBCASE("well: all may again") {
        breaker.succeeded();
        CHECK(breaker.admit(start + 60s));
        CHECK(breaker.admit(start + 60s));
    }
    SUBCASE("badly: a minute more") {
        breaker.failed(start + 61s, "TEI answered 503");
        CHECK_FALSE(breaker.admit(start + 120s));
        CHECK(breaker.admit(start + 121s));
    }
    SUBCASE("interrupted: the next one tries") {
        breaker.abandoned();
        CHECK(breaker.admit(start + 60s));
    }
}
