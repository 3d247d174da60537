// Whether and when a request that failed is worth another try. Pure: the caller brings the outcome and the
// dice.
#pragma once

#include <chrono>
#include <optional>

#include "base/result.h"

namespace quarry::fetch {

struct RetryConfig {
    int max_retries = 3;
    std::chrono::milliseconds base{1'000};       // before the first retry; doubled for each further one
    std::chrono::milliseconds longest{60'000};   // no backoff is longer
    double jitter = 0.2;                         // each backoff is up to this part shorter or longer
    int too_many_requests_factor = 5;            // after 429, backoffs are this many times as long
    std::chrono::milliseconds max_wait{60'000};  // a server that asks for a longer wait is given up
};

// How one try of a request ended.
struct Attempt {
    int number = 1;                                     // 1 for the first try
    std::optional<ErrorCode> error{};                   // set if there was no answer
    int status = 0;                                     // else the answer's
    std::optional<std::chrono::seconds> retry_after{};  // what the answer asked for
};

// min(base x 2^(attempt - 1), longest), with jitter. `dice` is in [0, 1].
std::chrono::milliseconds backoff(const RetryConfig& config, int attempt, double dice);

// The time to wait before the next try; nothing if this outcome is final. Tried again are timeouts,
// connections that fail or break, and statuses 429 and from 500 on; a name that does not resolve is looked up
// once more. Fails with `unavailable` if the server asks for a longer wait than is allowed.
Result<std::optional<std::chrono::milliseconds>> delay_before_retry(const RetryConfig& config,
                                                                    const Attempt& attempt, double dice);

}  // namespace quarry::fetch
