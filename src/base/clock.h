// The clock of a process that others share a database with: it follows the wall clock forwards, never
// backwards.
#pragma once

#include <atomic>
#include <chrono>

#include "base/base_clock.h"

namespace quarry {

// After a suspend, or when the wall clock is set forward, it shows the new time at once. When the wall clock
// is set back it goes on from where it was, at its own pace.
class WallClock : public Clock {
public:
    Timestamp now() const override;

    // What it shows while the wall clock and the steady clock show these.
    Timestamp at(Timestamp wall, std::chrono::milliseconds steady) const;

private:
    // How far the wall clock was ahead of the steady clock at most.
    mutable std::atomic<std::int64_t> ahead_{INT64_MIN};
};

}  // namespace quarry
