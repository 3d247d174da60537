// Whether an error is worth another attempt, and when. The one table for all kinds of jobs.
#pragma once

#include <chrono>

#include "base/base_clock.h"
#include "base/result.h"

namespace quarry::work {

// min(base x 2^(attempt - 1), longest), up to a fifth longer or shorter.
struct Backoff {
    std::chrono::milliseconds base{1'000};
    std::chrono::milliseconds longest{60'000};
};

inline constexpr Backoff fetch_backoff{};
inline constexpr Backoff robots_backoff{std::chrono::seconds(5), std::chrono::seconds(60)};
inline constexpr Backoff embedding_backoff{std::chrono::seconds(10),
                                           std::chrono::seconds(60)};  // unless the settings say otherwise

// `attempt` is the one that has just failed, from 1.
Timestamp next_attempt(const Backoff& backoff, int attempt, Timestamp now);

// True for what may be better later: the other side did not answer, or not properly.
bool is_worth_another_attempt(ErrorCode code);

}  // namespace quarry::work
