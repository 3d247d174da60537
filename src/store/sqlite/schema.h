// The tables of quarry.db, and how a file of an older version becomes one of this version.
#pragma once

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::store {

// Brings the file to the version of this program, step by step, each step one transaction. A file of a newer
// version, or one that is no database of quarry, is refused in a sentence: it is never touched.
Result<void> migrate(db::Connection& connection);

inline constexpr int schema_version = 1;

}  // namespace quarry::store
