#include "work/retry_delay.h"

#include <algorithm>
#include <random>

namespace quarry::work {

Timestamp next_attempt(const Backoff& backoff, int attempt, Timestamp now) {
    constexpr int max_doublings = 20;
    const int doublings = std::clamp(attempt - 1, 0, max_doublings);
    const auto delay =
        std::min(backoff.longest, std::chrono::milliseconds(backoff.base.count() << doublings));
    thread_local std::minstd_rand dice{std::random_device{}()};
    // Whatever failed together should not come back together.
    const double jitter = std::uniform_real_distribution(0.8, 1.2)(dice);
    return now +
           std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(delay.count()) * jitter));
}

bool is_worth_another_attempt(ErrorCode code) {
    switch (code) {
        case ErrorCode::unavailable:
        case ErrorCode::timeout:
        case ErrorCode::not_found:  // a name that does not resolve now may do so later
        case ErrorCode::interrupted: return true;
        case ErrorCode::invalid_argument:
        case ErrorCode::conflict:
        case ErrorCode::refused:
        case ErrorCode::too_large:
        case ErrorCode::unsupported:
        case ErrorCode::corrupt:
        case ErrorCode::exhausted: return false;
    }
    return false;
}

}  // namespace quarry::work
