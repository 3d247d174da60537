#include "db/pg_pool.h"

#include <algorithm>

namespace quarry::db {

namespace {

using namespace std::chrono_literals;

constexpr auto shortest_pause = 50ms;
constexpr auto longest_pause = 1000ms;

}  // namespace

Result<PgPool::Borrowed> PgPool::borrow() {
    {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return free_slots_ > 0; });
        --free_slots_;
        while (!idle_.empty()) {
            PgConnection connection = std::move(idle_.back());
            idle_.pop_back();
            if (connection.is_open()) return Borrowed(*this, std::move(connection));
        }
        if (std::chrono::steady_clock::now() < closed_until_) {
            ++free_slots_;
            freed_.notify_one();
            return std::unexpected(*last_error_);
        }
    }
    auto connection = open();
    if (connection) return Borrowed(*this, *std::move(connection));
    free_slot();
    return std::unexpected(connection.error());
}

Result<PgConnection> PgPool::open() {
    auto connection = PgConnection::open(config_);
    const std::lock_guard lock(mutex_);
    if (connection) {
        pause_ = 0ms;
        closed_until_ = {};
        return connection;
    }
    // Somebody else has found it again meanwhile.
    if (!idle_.empty()) return connection;
    pause_ = std::clamp<std::chrono::milliseconds>(pause_ * 2, shortest_pause, longest_pause);
    closed_until_ = std::chrono::steady_clock::now() + pause_;
    last_error_ = connection.error();
    return connection;
}

void PgPool::free_slot() {
    {
        const std::lock_guard lock(mutex_);
        ++free_slots_;
    }
    freed_.notify_one();
}

void PgPool::give_back(PgConnection connection) {
    {
        const std::lock_guard lock(mutex_);
        if (connection.is_open()) idle_.push_back(std::move(connection));
        ++free_slots_;
    }
    freed_.notify_one();
}

}  // namespace quarry::db
