// A bounded number of connections to one server, shared by threads. A connection is opened when it is first
// needed, and opened again after it was lost.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"

namespace quarry::db {

// A Connection has a static open(Config), and is_open().
template <typename Connection, typename Config>
class Pool {
public:
    // A connection for as long as this is kept. A lost connection is not used again.
    class Borrowed {
    public:
        Borrowed(Borrowed&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
        Borrowed& operator=(Borrowed&&) = delete;
        ~Borrowed() {
            if (pool_) pool_->give_back(std::move(connection_));
        }
        Connection& operator*() { return connection_; }
        Connection* operator->() { return &connection_; }

    private:
        friend class Pool;
        Borrowed(Pool& pool, Connection connection) : pool_(&pool), connection_(std::move(connection)) {}
        Pool* pool_;
        Connection connection_;
    };

    Pool(Config config, int size) : config_(std::move(config)), free_slots_(size) {}

    // Waits while all connections are in use. Fails with `unavailable` if the server cannot be reached. The
    // server is then left alone for a moment, which grows to a second, and every caller gets that error at
    // once.
    Result<Borrowed> borrow() {
        std::uint64_t opened_before = 0;
        {
            std::unique_lock lock(mutex_);
            freed_.wait(lock, [&] { return free_slots_ > 0; });
            if (!idle_.empty()) {
                --free_slots_;
                Borrowed borrowed(*this, std::move(idle_.back()));
                idle_.pop_back();
                return borrowed;
            }
            if (std::chrono::steady_clock::now() < closed_until_) {
                // The other threads that wait for a connection get the same error.
                freed_.notify_one();
                return std::unexpected(*last_error_);
            }
            --free_slots_;
            opened_before = opened_;
        }
        auto connection = open(opened_before);
        if (connection) return Borrowed(*this, *std::move(connection));
        free_slot();
        return std::unexpected(connection.error());
    }

private:
    static constexpr std::chrono::milliseconds shortest_pause{25}, longest_pause{1'000};

    void give_back(Connection connection) {
        {
            const std::lock_guard lock(mutex_);
            // A connection was lost because the server went away, so all connections are lost.
            if (connection.is_open()) {
                idle_.push_back(std::move(connection));
            } else {
                idle_.clear();
            }
        }
        free_slot();
    }

    // Runs outside of the lock, because it may take seconds.
    Result<Connection> open(std::uint64_t opened_before) {
        auto connection = Connection::open(config_);
        const std::lock_guard lock(mutex_);
        if (connection) {
            ++opened_;
            pause_ = {};
            closed_until_ = {};
            return connection;
        }
        // Another thread has reached the server again meanwhile.
        if (opened_ != opened_before) return connection;
        pause_ = std::clamp(pause_ * 2, shortest_pause, longest_pause);
        closed_until_ = std::chrono::steady_clock::now() + pause_;
        last_error_ = connection.error();
        return connection;
    }

    void free_slot() {
        {
            const std::lock_guard lock(mutex_);
            ++free_slots_;
        }
        freed_.notify_one();
    }

    const Config config_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<Connection> idle_;
    int free_slots_;
    std::uint64_t opened_ = 0;            // connections, so far
    std::chrono::milliseconds pause_{0};  // between failed attempts
    std::chrono::steady_clock::time_point closed_until_{};
    std::optional<Error> last_error_;
};

}  // namespace quarry::db
