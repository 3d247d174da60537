// A Reader on PostgreSQL.
#pragma once

#include <memory>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store {

// On one connection, which is opened anew when it was lost. `not_found` if the database has no tables of
// quarry, `unsupported` if they are of another version, `unavailable` if it cannot be reached. URLs and
// changes may be tried as often as `limits` say, which no row repeats.
Result<std::unique_ptr<Reader>> open_postgres_reader(const db::PgConfig& config, const StoreLimits& limits = {});

}  // namespace quarry::store
