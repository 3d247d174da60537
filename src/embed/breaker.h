// Stops asking a service that stays away, so that it costs no time, and asks again with a single call after a
// while.
#pragma once

#include <chrono>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace quarry::embed {

struct BreakerConfig {
    int failures = 5;                         // calls in a row, until it opens
    std::chrono::milliseconds reset{60'000};  // until one call may try again
};

// Any thread. The caller brings the time.
class Breaker {
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit Breaker(BreakerConfig config) : config_(config) {}

    // Must be followed by exactly one of the three below, if it lets the call through. While open it fails
    // with `unavailable`, and says why the last call failed and when the next may try.
    Result<void> admit(Time now);

    void succeeded();
    void failed(Time now, const std::string& why);
    void abandoned();  // our own doing, which says nothing of the service

    // Somebody says that the service is there: the next calls try, until one fails.
    void ask_at_once();

    // The last call failed: more tries for this one are a waste.
    bool is_troubled();

private:
    struct State {
        int failures = 0;
        bool is_probing = false;  // one call tries, others fail meanwhile
        Time retry_at{};
        std::string why{};
    };

    const BreakerConfig config_;
    Guarded<State> state_;
};

}  // namespace quarry::embed
