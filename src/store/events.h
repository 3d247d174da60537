// How waiting and watching threads learn that something changed. A ChangeSignal wakes the threads that wait
// for work. Events that are too many to be told one by one are gathered: one event per group.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace quarry::store {

// Tells the threads that wait for work that there may be some, so that they need not ask again and again.

class ChangeSignal {
public:
    void raise() {
        {
            std::lock_guard lock(mutex_);
            ++count_;
        }
        changed_.notify_all();
    }

    // Returns the count once it differs from `seen`, after `at_most`, or when asked to stop.
    std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds at_most, std::stop_token stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, at_most, [&] { return count_ != seen; });
        return count_;
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t count_ = 1;  // so that 0 has always missed something
};

// Waits until the clock shows `until`. The wait is measured by another clock, which may stand still while the
// machine sleeps, so it is cut into pieces.
inline std::uint64_t wait_for(ChangeSignal& signal, std::uint64_t seen, Timestamp until, const Clock& clock,
                              const std::stop_token& stop) {
    constexpr std::chrono::milliseconds piece{10'000};
    for (;;) {
        const auto left = until - clock.now();
        const std::uint64_t count = signal.wait(seen, std::min(left, piece), stop);
        if (count != seen || left <= piece || stop.stop_requested()) return count;
    }
}

// Gathers events that are too many to be told one by one. Returns at most `most`, one for each group: how the
// group ended if that is among the events, otherwise that it goes on. Groups that ended come first. Events of
// no group are left out: a caller that waits for them also polls.
std::vector<Event> gathered(const std::vector<Event>& events, std::size_t most);

}  // namespace quarry::store
