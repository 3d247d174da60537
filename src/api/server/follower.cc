#include "api/server/follower.h"

#include <utility>

namespace quarry::api {

void FollowerQueue::send(std::string text) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.is_closed) return;
        // However long it is, the first message is taken.
        const bool has_room = share_.grow_to(share_.bytes() + text.size()) == MemoryBudget::Room::enough;
        if (!has_room || (bytes_ > 0 && bytes_ + text.size() > most_bytes_)) {
            waiting_.is_closed = waiting_.is_overrun = true;
            waiting_.messages.clear();
        } else {
            bytes_ += text.size();
            waiting_.messages.push_back(std::move(text));
        }
    }
    wake_();
}

void FollowerQueue::close(int code, std::string reason) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.is_closed) return;
        waiting_.is_closed = true;
        waiting_.code = code;
        waiting_.reason = std::move(reason);
    }
    wake_();
}

bool FollowerQueue::is_open() const {
    const std::lock_guard lock(mutex_);
    return !waiting_.is_closed;
}

std::size_t FollowerQueue::waiting_bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void FollowerQueue::set_on_drained(std::function<void()> on_drained) {
    const std::lock_guard lock(mutex_);
    on_drained_ = std::move(on_drained);
}

FollowerQueue::Taken FollowerQueue::take() {
    Taken taken;
    std::function<void()> on_drained;
    {
        const std::lock_guard lock(mutex_);
        share_.shrink_to(bytes_);
        bytes_ = 0;
        taken.messages.swap(waiting_.messages);
        taken.is_closed = waiting_.is_closed;
        taken.is_overrun = waiting_.is_overrun;
        taken.code = waiting_.code;
        taken.reason = waiting_.reason;
        if (!taken.messages.empty() && !taken.is_closed) on_drained = on_drained_;
    }
    if (on_drained) on_drained();
    return taken;
}

bool FollowerQueue::has_news() const {
    const std::lock_guard lock(mutex_);
    return waiting_.is_closed || !waiting_.messages.empty();
}

void FollowerQueue::abandon() {
    {
        const std::lock_guard lock(mutex_);
        waiting_.is_closed = true;
        waiting_.messages.clear();
        share_.shrink_to(0);
        on_drained_ = nullptr;
    }
    wake_();
}

}  // namespace quarry::api
