// How threads hand values to each other. A Mailbox brings messages of many threads to one. A WorkQueue
// hands each value to one of several threads, in order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace quarry {

// Messages from many threads to one, which sleeps while there are none.

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
        // The reader takes all messages at once, so only the first one has to wake it.
        if (was_empty) arrived_.notify_one();
    }

    // Takes everything that has arrived, in order. Waits for the first message until `until` (forever without
    // it) or until asked to stop. `messages` is emptied first and lends its memory for the next round, unless
    // a rush has made it large.
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

// Values handed from some threads to others, each to one, in order.

// The queue has no bound of its own: the threads that push to it keep to a budget.
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

    // Closes the queue and returns the values that no thread has taken, and that none will take any more.
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
