// Lets many searches look at what is in memory, and one writer change it for a moment. A writer that waits
// goes before searches that come after it: otherwise a busy searcher would keep it out for ever.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace quarry::index {

class ViewLock {
public:
    std::shared_lock<std::shared_mutex> to_look() {
        std::lock_guard turn(turn_);
        return std::shared_lock(view_);
    }
    std::unique_lock<std::shared_mutex> to_change() {
        std::lock_guard turn(turn_);
        return std::unique_lock(view_);
    }

private:
    std::mutex turn_;
    std::shared_mutex view_;
};

}  // namespace quarry::index
