// The time, handed in: what waits for an hour can be tested in a moment, and a clock that is set back does
// no harm.
#pragma once

#include <atomic>
#include <chrono>

namespace quarry {

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

}  // namespace quarry
