// Whether an error is worth another attempt, and when. This is the one table for all kinds of jobs.
// The engine waits for a store that is away: Outage knows why it is away and how long to leave it alone. The
// engine gives up what is under way, which other workers may have taken over, and begins anew when the store
// is back.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::work {

// The wait after an attempt: min(base x 2^(attempt - 1), longest), up to a fifth longer or shorter.
struct Backoff {
    std::chrono::milliseconds base{1'000};
    std::chrono::milliseconds longest{60'000};
};

inline constexpr Backoff fetch_backoff{};
inline constexpr Backoff robots_backoff{std::chrono::seconds(5), std::chrono::seconds(60)};
inline constexpr Backoff embedding_backoff{std::chrono::seconds(10),
                                           std::chrono::seconds(60)};  // unless the settings say otherwise

// `attempt` is the number of the attempt that has just failed, from 1.
Timestamp next_attempt(const Backoff& backoff, int attempt, Timestamp now);

// True for errors that may pass: the other side did not answer, or did not answer properly.
bool is_worth_another_attempt(ErrorCode code);

// True if a call failed because the store cannot be reached or written to, and not because of what was asked.
constexpr bool is_trouble_of_store(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::timeout;
}

// True for errors that pass once the database is started again, has space again, or may be written to again.
bool may_pass(const store::Store& store, const Error& error);

class Outage {
public:
    // Called with the reason when the store goes away, and with nothing when it is back. On the engine's
    // threads.
    using Tell = std::function<void(const std::optional<Error>& reason)>;

    explicit Outage(Tell tell) : tell_(std::move(tell)) {}

    // Waits for the next attempt, longer each time, up to ten seconds. False if asked to stop.
    bool wait_after(const Error& error, const std::stop_token& stop);
    // Tells the outage that the store has answered.
    void over();
    // Why the store is away; nothing while it answers. Any thread.
    std::optional<Error> reason() const {
        return state_.with([](const State& state) { return state.reason; });
    }

private:
    using Clock = std::chrono::steady_clock;
    struct State {
        std::optional<Error> reason{};
        int attempts = 0;
        Clock::time_point well_since{};
    };

    const Tell tell_;
    Guarded<State> state_;
};

}  // namespace quarry::work
