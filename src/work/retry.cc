#include "work/retry.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/threads.h"

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

namespace {

constexpr Backoff backoff{.base = std::chrono::milliseconds(200), .longest = std::chrono::seconds(10)};

}  // namespace

bool may_pass(const store::Store& store, const Error& error) {
    // Of a server that came back without its last moments the worker is unknown.
    return store.reconnects() && (is_trouble_of_store(error) || error.code == ErrorCode::not_found);
}

bool Outage::wait_after(const Error& error, const std::stop_token& stop) {
    bool begins = false;
    const int attempt = state_.with([&](State& state) {
        begins = !state.reason.has_value();
        // One that comes and goes is not asked every moment.
        if (begins && Clock::now() - state.well_since > backoff.longest) state.attempts = 0;
        state.reason = error;
        return ++state.attempts;
    });
    if (begins && tell_) tell_(error);
    return pause_for(next_attempt(backoff, attempt, Timestamp{}) - Timestamp{}, stop);
}

void Outage::over() {
    const bool ends = state_.with([](State& state) {
        if (!state.reason) return false;
        state.reason.reset();
        state.well_since = Clock::now();
        return true;
    });
    if (ends && tell_) tell_(std::nullopt);
}

}  // namespace quarry::work
