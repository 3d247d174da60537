// The tables of quarry.db, and how a file of an older version becomes one of this version.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::store {

// The version of the file; 0 if it is empty. Fails with `corrupt` if it is no database of quarry, and with
// `unsupported` if it is of a newer version.
Result<std::int64_t> version_of(db::Connection& connection);

// Brings the file to the version of this program, step by step, each step one transaction. A file of a newer
// version, or one that is no database of quarry, is refused in a sentence: it is never touched.
Result<void> migrate(db::Connection& connection);

// `unsupported` if a transfer into it was interrupted (transfer/transfer.h).
Result<void> check_complete(db::Connection& connection);

inline constexpr int schema_version = 6;

}  // namespace quarry::store
