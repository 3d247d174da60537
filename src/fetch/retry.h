// Stops asking an origin that keeps failing, so that a dead server costs neither time nor connections, and
// asks again with a single request after a while.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace quarry::fetch {

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
