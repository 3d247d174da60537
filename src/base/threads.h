// Wakes a thread that waits in poll(), from any other.
#pragma once

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace quarry {

class WakeSignal {
public:
    WakeSignal() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    WakeSignal(const WakeSignal&) = delete;
    WakeSignal& operator=(const WakeSignal&) = delete;
    ~WakeSignal() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    // Readable from a call of `wake` until `clear`; -1, which poll() passes over, if there was none left.
    int descriptor() const { return descriptor_; }
    void wake() {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
    }
    void clear() {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto read = ::read(descriptor_, &count, sizeof count);
    }

private:
    const int descriptor_;
};

}  // namespace quarry
