// Whether a Redis keeps what it acknowledges.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/redis/connection.h"

namespace quarry::store::redis {

// Sentences that its user should know. `refused` if it may evict keys, or keeps nothing on disk and that is
// not allowed.
Result<std::vector<std::string>> check_durability(db::RedisConnection& connection, bool allow_volatile);

}  // namespace quarry::store::redis
