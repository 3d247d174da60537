// What a thread needs besides std::jthread: a name for debuggers and /proc, a pause that ends when somebody
// asks to stop, and a signal that wakes it from poll().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace quarry {

// Names for threads, as debuggers, profilers and /proc show them.

// Names the calling thread; at most 15 letters.
inline void name_this_thread(const char* name) {
    pthread_setname_np(pthread_self(), name);
}

// Letting time pass, unless somebody asks to stop.

// Returns after `duration`, or at once when asked to stop: then false.
inline bool pause_for(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

// Wakes a thread that waits in poll(), from any other.

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
