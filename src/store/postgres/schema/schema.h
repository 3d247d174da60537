// The tables in PostgreSQL, all in the schema `quarry`, and how a database of an older version becomes one of
// this version. Every name is written in full, so that no search_path matters.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

inline constexpr int schema_version = 7;

// The version of the database; 0 if it has no tables of quarry. `unsupported` if it is of a newer version.
Result<std::int64_t> version_of(db::PgConnection& connection);

// Brings the database to the version of this program, step by step, each step one transaction. Of many that
// start at once one does it and the others wait. A newer database is refused in a sentence, and not touched.
Result<void> migrate(db::PgConnection& connection);

// `unsupported` if a transfer into it was interrupted (store/transfer/transfer_transfer.h).
Result<void> check_complete(db::PgConnection& connection);

}  // namespace quarry::store::postgres
