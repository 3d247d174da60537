// The tables of index.db, and what is checked before a file is believed to be one.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::index {

// Sets up the connection that writes, and the tables if the file is new. Fails with `corrupt` if it is no
// index of quarry or is damaged, and with `unsupported` if it is of a newer version; it is then not touched.
Result<void> prepare_for_writing(db::Connection& connection);

// Fails with `corrupt` if a small table that says where everything else is cannot be trusted. SQLite reads a damaged
// page of such a table as one without rows, and the index would then answer "nothing found" instead of an error. It
// reads those tables once; the large ones are checked where their bytes are read.
Result<void> check_small_tables(db::Connection& connection);

// The same checks, for a connection that only reads.
Result<void> prepare_for_reading(db::Connection& connection);

inline constexpr int schema_version = 1;

}  // namespace quarry::index
