#include "fetch/retry.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::fetch;
using namespace std::chrono_literals;

namespace {

constexpr double no_jitter = 0.5;

std::optional<std::chrono::milliseconds> delay(const Attempt& attempt, const RetryConfig& config = {}) {
    return delay_before_retry(config, attempt, no_jitter).value();
}

}  // namespace

TEST_CASE("backoff doubles up to a longest wait and varies by a fifth") {
    const RetryConfig config;
    CHECK(backoff(config, 1, no_jitter) == 1s);
    CHECK(backoff(config, 2, no_jitter) == 2s);
    CHECK(backoff(config, 3, no_jitter) == 4s);
    CHECK(backoff(config, 30, no_jitter) == 60s);
    CHECK(backoff(config, 1, 0) == 800ms);
    CHECK(backoff(config, 1, 1) == 1200ms);
}

TEST_CASE("timeouts, lost connections and server errors are tried again three times") {
    const Attempt kinds[] = {{.error = ErrorCode::timeout},
                             {.error = ErrorCode::unavailable},
                             {.status = 500},
                             {.status = 503},
                             {.status = 599}};
    for (Attempt attempt : kinds) {
        attempt.number = 3;
        CHECK(delay(attempt) == 4s);
        attempt.number = 4;
        CHECK_FALSE(delay(attempt));
    }
}

TEST_CASE("what will not change by itself is not tried again") {
    for (const ErrorCode code : {ErrorCode::refused, ErrorCode::invalid_argument, ErrorCode::too_large,
                                 ErrorCode::corrupt, ErrorCode::interrupted, ErrorCode::conflict})
        CHECK_FALSE(delay({.error = code}));
    for (const int status : {200, 301, 304, 400, 401, 403, 404, 410, 451})
        CHECK_FALSE(delay({.status = status}));
}

TEST_CASE("a name that does not resolve is looked up once more") {
    CHECK(delay({.number = 1, .error = ErrorCode::not_found}) == 1s);
    CHECK_FALSE(delay({.number = 2, .error = ErrorCode::not_found}));
}

TEST_CASE("too many requests are answered with more patience") {
    CHECK(delay({.number = 1, .status = 429}) == 5s);
    CHECK(delay({.number = 2, .status = 429}) == 10s);
}

TEST_CASE("no retry comes before the time a server asks for") {
    CHECK(delay({.status = 503, .retry_after = 30s}) == 30s);
    CHECK(delay({.number = 3, .status = 503, .retry_after = 1s}) == 4s);
    CHECK(delay({.status = 429, .retry_after = 60s}) == 60s);
}

TEST_CASE("a server that asks for too long a wait is given up with a sentence") {
    const auto verdict = delay_before_retry({}, {.status = 503, .retry_after = 61s}, no_jitter);
    REQUIRE_FALSE(verdict);
    CHECK(verdict.error().code == ErrorCode::unavailable);
    CHECK(verdict.error().message ==
          "server asks to wait 61 s before the next try, longer than the 60 s allowed");
}

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
