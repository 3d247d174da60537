// Connections to one PostgreSQL, shared by threads.
#pragma once

#include "db/pool.h"
#include "db/postgres/connection.h"

namespace quarry::db {

using PgPool = Pool<PgConnection, PgConfig>;

}  // namespace quarry::db
