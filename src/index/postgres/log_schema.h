// The tables in PostgreSQL that the search index is written to. They are in the schema `quarry` beside the
// store's, with a version of their own: a store elsewhere may use them too.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::index {

// As db::pg_migrate.
Result<void> migrate_log(db::PgConnection& connection);

// The number that tells this database from others: replicas remember it.
Result<std::int64_t> log_identity(db::PgConnection& connection);

}  // namespace quarry::index
