// Whether and when a request that failed is worth another try. RetryConfig and backoff decide for one
// request; they are pure: the caller brings the outcome and the dice. CircuitBreaker stops asking an origin
// that keeps failing, so that a dead server costs neither time nor connections, and asks again with a
// single request after a while.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace quarry::fetch {

// Whether and when a request that failed is worth another try. Pure: the caller brings the outcome and the
// dice.

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

// Stops asking an origin that keeps failing, so that a dead server costs neither time nor connections, and
// asks again with a single request after a while.

struct BreakerConfig {
    int failures = 5;                         // in a row, until it opens
    std::chrono::milliseconds reset{60'000};  // until one request may try again
    std::size_t max_origins = 10'000;         // failing origins remembered; memory is bounded by this
};

// Any thread. The caller brings the time.
class CircuitBreaker {
public:
    // Each owner has a circuit of its own: a client can have a healthy server drop as many requests as it
    // likes.
    struct Circuit {
        std::string origin{};  // as Url::origin() writes it
        std::string owner{};
        friend auto operator<=>(const Circuit&, const Circuit&) = default;
    };

    using Time = std::chrono::steady_clock::time_point;
    enum class Outcome {
        success,  // the server answered, if only with a 404
        failure,  // no connection, no answer in time, or a status from 500 on
        unknown,  // it was our own doing: refused, interrupted
    };

    explicit CircuitBreaker(BreakerConfig config = {}) : config_(config) {}

    // Must be followed by one record(), if it lets the request through. Fails with `unavailable` and
    // "Service unavailable: …" while the breaker is open.
    Result<void> admit(const Circuit& circuit, Time now);

    void record(const Circuit& circuit, Outcome outcome, Time now);

    bool is_open(const Circuit& circuit, Time now);

private:
    struct Record {
        int failures = 0;
        Time retry_at{};          // while open: when one request may try
        bool is_probing = false;  // that request is under way
    };

    void make_room(std::map<Circuit, Record>& records, Time now) const;

    const BreakerConfig config_;
    Guarded<std::map<Circuit, Record>> records_;  // only of origins whose last outcome was a failure
};

}  // namespace quarry::fetch
