// A bounded number of connections to one database, shared by threads. Connections are opened when they are
// first needed, and anew when they were lost.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "db/postgres.h"

namespace quarry::db {

class PgPool {
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
        PgConnection& operator*() { return connection_; }
        PgConnection* operator->() { return &connection_; }

    private:
        friend class PgPool;
        Borrowed(PgPool& pool, PgConnection connection) : pool_(&pool), connection_(std::move(connection)) {}
        PgPool* pool_;
        PgConnection connection_;
    };

    PgPool(PgConfig config, int size) : config_(std::move(config)), free_slots_(size) {}

    // Waits while all are in use. `unavailable` if the database cannot be reached; it is then left alone for
    // a moment, which grows to a second, and everybody is told the same at once.
    Result<Borrowed> borrow();

private:
    void give_back(PgConnection connection);
    Result<PgConnection> open();
    void free_slot();

    const PgConfig config_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<PgConnection> idle_;
    int free_slots_;
    std::chrono::milliseconds pause_{0};  // between failed attempts
    std::chrono::steady_clock::time_point closed_until_{};
    std::optional<Error> last_error_;
};

}  // namespace quarry::db
