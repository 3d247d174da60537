#include "db/redis_pool.h"

#include <algorithm>

namespace quarry::db {

namespace {

constexpr std::chrono::milliseconds first_pause{25}, longest_pause{1'000};

}  // namespace

Result<RedisPool::Borrowed> RedisPool::borrow() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return free_slots_ > 0; });
    if (!idle_.empty()) {
        --free_slots_;
        Borrowed borrowed(*this, std::move(idle_.back()));
        idle_.pop_back();
        return borrowed;
    }
    if (last_error_ && std::chrono::steady_clock::now() < closed_until_) return std::unexpected(*last_error_);
    --free_slots_;
    lock.unlock();
    auto opened = open();
    if (opened) return Borrowed(*this, *std::move(opened));
    {
        std::lock_guard again(mutex_);
        ++free_slots_;
    }
    freed_.notify_one();
    return std::unexpected(opened.error());
}

// Outside of the lock: it may take seconds.
Result<RedisConnection> RedisPool::open() {
    auto opened = RedisConnection::open(config_);
    std::lock_guard lock(mutex_);
    if (opened) {
        pause_ = {};
        last_error_.reset();
    } else {
        pause_ = std::clamp(pause_ * 2, first_pause, longest_pause);
        closed_until_ = std::chrono::steady_clock::now() + pause_;
        last_error_ = opened.error();
    }
    return opened;
}

void RedisPool::give_back(RedisConnection connection) {
    {
        std::lock_guard lock(mutex_);
        ++free_slots_;
        // What was lost on one connection is lost on all: the server went away.
        if (connection.is_open()) {
            idle_.push_back(std::move(connection));
        } else {
            idle_.clear();
        }
    }
    freed_.notify_one();
}

}  // namespace quarry::db
