// A bounded number of connections to one Redis, shared by threads. Connections are opened when they are first
// needed, and anew when they were lost.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "db/redis.h"

namespace quarry::db {

class RedisPool {
public:
    // A connection for as long as this is kept. One that was lost is not used again.
    class Borrowed {
    public:
        Borrowed(Borrowed&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
        Borrowed& operator=(Borrowed&&) = delete;
        ~Borrowed() {
            if (pool_) pool_->give_back(std::move(connection_));
        }
        RedisConnection& operator*() { return connection_; }
        RedisConnection* operator->() { return &connection_; }

    private:
        friend class RedisPool;
        Borrowed(RedisPool& pool, RedisConnection connection)
            : pool_(&pool), connection_(std::move(connection)) {}
        RedisPool* pool_;
        RedisConnection connection_;
    };

    RedisPool(RedisConfig config, int size) : config_(std::move(config)), free_slots_(size) {}

    // Waits while all are in use. `unavailable` if Redis cannot be reached; it is then left alone for a
    // moment, which grows to a second, and everybody is told the same at once.
    Result<Borrowed> borrow();

    const RedisConfig& config() const { return config_; }

private:
    void give_back(RedisConnection connection);
    Result<RedisConnection> open();

    const RedisConfig config_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<RedisConnection> idle_;
    int free_slots_;
    std::chrono::milliseconds pause_{0};  // between failed attempts
    std::chrono::steady_clock::time_point closed_until_{};
    std::optional<Error> last_error_;
};

}  // namespace quarry::db
