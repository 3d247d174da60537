// Jobs in a real Redis, which all tests of the process share, each under a prefix of its own; pages in
// SQLite.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

#include "servers/redis.h"
#include "store/promises/backend.h"
#include "store/redis/redis_store.h"

namespace quarry::store::promises {

class OnRedis : public Backend {
public:
    explicit OnRedis(StoreLimits limits = {}) : server_(test::Redis::shared()), limits_(limits) {
        if (!server_) throw std::runtime_error("Redis is not installed");
        limits_.low_disk_bytes = 0;
        static std::atomic<int> tests = 0;
        prefix_ = "test" + std::to_string(++tests) + ":";
        open();
    }

    void restart() {
        reader.reset();
        store.reset();
        workers_.clear();
        open();
    }

private:
    void open() {
        const std::string path = folder_.file("quarry.db");
        store =
            open_redis_store(
                {.url = server_->url(),
                 .prefix = prefix_,
                 .limits = limits_,
                 .clock = &clock,
                 .content = open_sqlite_store({.path = path, .limits = limits_, .clock = &clock}).value()})
                .value();
        reader = open_redis_reader({.url = server_->url(),
                                    .prefix = prefix_,
                                    .limits = limits_,
                                    .content = open_sqlite_reader(path).value()})
                     .value();
    }

    test::TemporaryFolder folder_;
    test::Redis* server_;
    StoreLimits limits_;
    std::string prefix_;
};

}  // namespace quarry::store::promises
