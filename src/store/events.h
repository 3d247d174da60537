// How waiting and watching threads learn that something changed. A ChangeSignal wakes those who wait for
// work. Events that are too many to be told one by one are gathered: one event per group.
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

// How whoever waits for work learns that there may be some, without asking again and again.

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

// Until the clock shows `until`. A wait is measured by another clock, which may stand still while the machine
// sleeps: so it is cut into pieces.
inline std::uint64_t wait_for(ChangeSignal& signal, std::uint64_t seen, Timestamp until, const Clock& clock,
                              const std::stop_token& stop) {
    constexpr std::chrono::milliseconds piece{10'000};
    for (;;) {
        const auto left = until - clock.now();
        const std::uint64_t count = signal.wait(seen, std::min(left, piece), stop);
        if (count != seen || left <= piece || stop.stop_requested()) return count;
    }
}

// Events that are too many to be told one by one: that each of their groups has changed is told instead.

// At most so many, one for each group: how it ended if that is among them, else that it goes on. Groups that
// ended come first. Events of no group are left out: whoever waits for such looks again after a while.
std::vector<Event> gathered(const std::vector<Event>& events, std::size_t most);

}  // namespace quarry::store
