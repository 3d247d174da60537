// Time for tests of services: it stands still, and a wait passes at once and is written down.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "embed/service.h"

namespace quarry::embed {

class StillTime {
public:
    ServiceTime time() {
        return {.now = [this] { return now(); },
                .wait = [this](std::chrono::milliseconds duration,
                               const std::stop_token& stop) { return wait(duration, stop); }};
    }

    void advance(std::chrono::milliseconds by) {
        const std::lock_guard lock(mutex_);
        now_ += by;
    }
    std::chrono::steady_clock::time_point now() {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    std::vector<std::chrono::milliseconds> waits() {
        const std::lock_guard lock(mutex_);
        return waits_;
    }
    // Asked to stop while the next wait goes on.
    void stop_in_wait(std::stop_source& source) { stopper_ = &source; }

private:
    bool wait(std::chrono::milliseconds duration, const std::stop_token& stop) {
        if (stopper_ != nullptr) stopper_->request_stop();
        const std::lock_guard lock(mutex_);
        waits_.push_back(duration);
        now_ += duration;
        return !stop.stop_requested();
    }

    std::mutex mutex_;
    std::chrono::steady_clock::time_point now_{};
    std::vector<std::chrono::milliseconds> waits_;
    std::stop_source* stopper_ = nullptr;
};

}  // namespace quarry::embed
