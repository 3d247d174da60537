// Groups and jobs that go for good, from Redis and from the content store.
#pragma once

#include <chrono>

#include "store/redis/link.h"
#include "store/store.h"

namespace quarry::store::redis {

// What the content store is told of a group. `not_found`.
Result<KeptCrawl> kept_crawl(RedisLink& link, GroupId group);

// Removes a group from Redis, after the content store knows how it ended: there its row and its pages can be
// erased. `not_found`; `conflict` if it is not over.
Result<void> remove_group(RedisLink& link, Store& content, GroupId group);

// Removes jobs and groups that are too old until there are none, or until `end`. Returns how many jobs.
Result<std::int64_t> sweep_redis(RedisLink& link, Store& content, const Retention& retention,
                                 std::chrono::steady_clock::time_point end);

}  // namespace quarry::store::redis
