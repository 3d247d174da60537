#include "fetch/retry.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::fetch;
using namespace std::chrono_literals;
using Outcome = CircuitBreaker::Outcome;

namespace {

const std::string origin = "https://a.example";
const CircuitBreaker::Time start{};

void fail_times(CircuitBreaker& breaker, int times, CircuitBreaker::Time now = start) {
    for (int i = 0; i < times; ++i) breaker.record({origin}, Outcome::failure, now);
}

}  // namespace

TEST_CASE("the breaker opens after five failures in a row, for that origin only") {
    CircuitBreaker breaker;
    fail_times(breaker, 4);
    CHECK(breaker.admit({origin}, start));

    fail_times(breaker, 1);
    const auto refused = breaker.admit({origin}, start + 18s);

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message ==
          "Service unavailable: https://a.example failed 5 times in a row, next try in 42 s");
    CHECK(breaker.admit({"https://b.example"}, start));
}

TEST_CASE("a success in between starts the count again") {
    CircuitBreaker breaker;
    fail_times(breaker, 4);
    breaker.record({origin}, Outcome::success, start);
    fail_times(breaker, 4);
    CHECK(breaker.admit({origin}, start));
}

TEST_CASE("after a while one request may try, and its success closes the breaker") {
    CircuitBreaker breaker;
    fail_times(breaker, 5);
    CHECK_FALSE(breaker.admit({origin}, start + 59s));
    CHECK(breaker.admit({origin}, start + 60s));
    CHECK_FALSE(breaker.admit({origin}, start + 60s));

    breaker.record({origin}, Outcome::success, start + 61s);

    CHECK(breaker.admit({origin}, start + 61s));
    CHECK(breaker.admit({origin}, start + 61s));
}

TEST_CASE("a failed probe opens the breaker again, an interrupted one leaves its place to the next") {
    CircuitBreaker breaker;
    fail_times(breaker, 5);
    CHECK(breaker.admit({origin}, start + 60s));
    breaker.record({origin}, Outcome::failure, start + 61s);
    CHECK_FALSE(breaker.admit({origin}, start + 120s));
    CHECK(breaker.admit({origin}, start + 121s));

    breaker.record({origin}, Outcome::unknown, start + 122s);

    CHECK(breaker.admit({origin}, start + 122s));
}

TEST_CASE("only a bounded number of failing origins is remembered") {
    CircuitBreaker breaker({.failures = 1, .max_origins = 2});
    for (const char* name : {"a", "b", "c"}) breaker.record({name}, Outcome::failure, start);
    CHECK_FALSE(breaker.admit({"a"}, start));
    CHECK_FALSE(breaker.admit({"b"}, start));
    CHECK(breaker.admit({"c"}, start));

    breaker.record({"c"}, Outcome::failure, start + 2min);
    CHECK_FALSE(breaker.admit({"c"}, start + 2min));
}

TEST_CASE("each owner has a circuit of its own") {
    CircuitBreaker breaker;
    for (int i = 0; i < 5; ++i) breaker.record({origin, "ann"}, Outcome::failure, start);

    CHECK_FALSE(breaker.admit({origin, "ann"}, start));
    CHECK(breaker.admit({origin, "bob"}, start));
}
