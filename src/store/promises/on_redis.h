// Jobs in a real Redis, which all tests of the process share, each under a prefix of its own; pages in
// SQLite, or in PostgreSQL (promises_redis_postgres_test).
#pragma once

#include <atomic>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "servers/redis.h"
#include "store/promises/backend.h"
#include "store/redis/store.h"

namespace quarry::store::promises {

class OnRedis : public Backend {
public:
    explicit OnRedis(StoreLimits limits = {}) : server_(test::Redis::shared()), limits_(limits) {
        if (!server_) throw std::runtime_error("Redis is not installed");
        limits_.low_disk_bytes = 0;
        static std::atomic<int> tests = 0;
        prefix_ = "test" + std::to_string(++tests) + ":";
        if (std::getenv("QUARRY_PAGES_IN_POSTGRES")) database_.emplace();
        open();
    }
    ~OnRedis() { close(); }

    void restart() {
        close();
        workers_.clear();
        open();
    }

private:
    void close() {
        reader.reset();
        store.reset();
    }
    void open() {
        store = open_redis_store({.url = server_->url(),
                                  .prefix = prefix_,
                                  .limits = limits_,
                                  .clock = &clock,
                                  .content = open_content()})
                    .value();
        reader = open_redis_reader({.url = server_->url(),
                                    .prefix = prefix_,
                                    .limits = limits_,
                                    .content = open_content_reader()})
                     .value();
    }
    std::unique_ptr<Store> open_content() {
        if (database_)
            return open_postgres_store(
                       {.database = {.url = database_->url()}, .limits = limits_, .clock = &clock})
                .value();
        return open_sqlite_store({.path = folder_.file("quarry.db"), .limits = limits_, .clock = &clock})
            .value();
    }
    std::unique_ptr<Reader> open_content_reader() {
        if (database_) return open_postgres_reader({.url = database_->url()}).value();
        return open_sqlite_reader(folder_.file("quarry.db")).value();
    }

    test::TemporaryFolder folder_;
    std::optional<test::EmptyDatabase> database_;
    test::Redis* server_;
    StoreLimits limits_;
    std::string prefix_;
};

}  // namespace quarry::store::promises
