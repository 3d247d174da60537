#include "fetch/fetch_retry.h"

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
