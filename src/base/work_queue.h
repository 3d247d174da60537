// Values handed from some threads to others, each to one, in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace quarry {

// Not bounded by itself: whoever fills it holds a budget.
template <typename T>
class WorkQueue {
public:
    void push(T value) {
        {
            std::lock_guard lock(mutex_);
            values_.push_back(std::move(value));
        }
        changed_.notify_one();
    }

    // Waits for a value; nothing once the queue is closed and empty.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !values_.empty(); });
        if (values_.empty()) return std::nullopt;
        std::optional<T> value(std::move(values_.front()));
        values_.pop_front();
        return value;
    }

    void close() {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

    // Closes it and gives what nobody has taken, which nobody will take any more.
    std::deque<T> close_and_take_rest() {
        std::deque<T> rest;
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
            std::swap(rest, values_);
        }
        changed_.notify_all();
        return rest;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> values_;
    bool closed_ = false;
};

}  // namespace quarry
