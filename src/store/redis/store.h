// Jobs, crawls, frontier, hosts, limits and schedules in Redis, for many workers; pages, outbox, collections,
// keys, sessions and requests in a content store beside it: SQLite on one host, PostgreSQL for more.
//
// Every transition is one Lua script (lua/), so it is whole; what it is made of is listed in lua/keys.lua.
// Ids of jobs, URLs and groups begin at 2^40, so that they never meet those of the content store. Redis
// cannot share a commit with the pages: an outcome's pages are durable in the content store before its lease
// ends (finisher.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::store {

struct RedisStoreConfig {
    std::string url{};               // redis://user:password@host:port/database
    std::string prefix = "quarry:";  // of all keys; two stores in one database need two
    StoreLimits limits{};
    const Clock* clock = nullptr;             // for tests; nullptr: the server's own
    std::unique_ptr<Store> content{};         // where pages live
    bool allow_volatile = false;              // also a Redis that writes nothing to disk
    std::function<void(std::string)> warn{};  // what its user should know about the server's settings
};

// Fails with `unavailable` if Redis cannot be reached, and with `refused` if its settings would lose work: it
// may evict keys, or keeps nothing on disk. When the store ends, its workers' leases do too.
Result<std::unique_ptr<Store>> open_redis_store(RedisStoreConfig config);

struct RedisReaderConfig {
    std::string url{};
    std::string prefix = "quarry:";
    StoreLimits limits{};
    std::unique_ptr<Reader> content{};
};

// One thread at a time.
Result<std::unique_ptr<Reader>> open_redis_reader(RedisReaderConfig config);

}  // namespace quarry::store
