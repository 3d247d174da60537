// Connections to one Redis, shared by threads.
#pragma once

#include "db/pool.h"
#include "db/redis/connection.h"

namespace quarry::db {

using RedisPool = Pool<RedisConnection, RedisConfig>;

}  // namespace quarry::db
