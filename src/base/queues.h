// Messages from many threads to one, which sleeps while there are none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace quarry {

template <typename Message>
class Mailbox {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    void post(Message message) {
        bool was_empty = false;
        {
            std::lock_guard lock(mutex_);
            was_empty = messages_.empty();
            messages_.push_back(std::move(message));
        }
        // The reader takes all there is: only the first message has to wake it.
        if (was_empty) arrived_.notify_one();
    }

    // Everything that has arrived, in order; waits for the first message until `until` (for ever without it)
    // or until asked to stop. `messages` is emptied first and lends its memory for the next round, unless a
    // rush has made it large.
    void take(std::vector<Message>& messages, std::optional<TimePoint> until, std::stop_token stop = {}) {
        messages.clear();
        if (messages.capacity() > most_kept) messages.shrink_to_fit();
        std::unique_lock lock(mutex_);
        const auto has_some = [&] { return !messages_.empty(); };
        if (until) {
            arrived_.wait_until(lock, stop, *until, has_some);
        } else {
            arrived_.wait(lock, stop, has_some);
        }
        std::swap(messages, messages_);
    }

private:
    static constexpr std::size_t most_kept = 1'024;

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::vector<Message> messages_;
};

}  // namespace quarry
