// Tables that have a version, and how a database of an older version becomes one of this version. A database
// may have several such sets of tables, each with a version of its own, in one PostgreSQL schema.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::db {

struct PgTables {
    std::string schema{};                  // where `meta(name, value)` is, which has the version
    std::string version = "version";       // the name that it has there
    std::string what{};                    // "quarry's tables": for messages
    std::span<const std::string> steps{};  // the first makes version 1, and so on
};

// The version of the database; 0 if it has none of these tables. `unsupported` if it is newer than the steps.
Result<std::int64_t> pg_version_of(PgConnection& connection, const PgTables& tables);

// Brings the database to the version of the last step, each step one transaction. Of many that start at once
// one does it and the others wait. A newer database is refused in a sentence, and not touched.
Result<void> pg_migrate(PgConnection& connection, const PgTables& tables);

}  // namespace quarry::db
