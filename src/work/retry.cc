#include "work/retry.h"

#include <utility>

#include "base/pause.h"

namespace quarry::work {

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
