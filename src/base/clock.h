// The time, handed in: what waits for an hour is tested in a moment. A clock that people set back does no
// harm. WallClock is the clock of a process that shares a database with others: it follows the wall clock
// forwards, never backwards.
#pragma once

#include <atomic>
#include <chrono>

namespace quarry {

// The time, handed in: what waits for an hour can be tested in a moment, and a clock that is set back does
// no harm.

using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

// Safe to use from many threads at once.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Timestamp now() const = 0;
};

// Stands still until told otherwise. For tests.
class ManualClock : public Clock {
public:
    Timestamp now() const override { return Timestamp(std::chrono::milliseconds(now_.load())); }
    void advance(std::chrono::milliseconds by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_{1'760'000'000'000};
};

// The clock of a process that others share a database with: it follows the wall clock forwards, never
// backwards.

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
