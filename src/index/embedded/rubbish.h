// Rows that nothing speaks of any more: of segments that were merged or never finished, of spaces that were
// left, of collections that were removed. They go a few at a time, so that no transaction is long.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::index {

// At start: what a former process was writing when it ended is rubbish.
Result<void> abandon_unfinished(db::Connection& connection);

// Removes some, in a transaction of its own. False if there is no more.
Result<bool> remove_some_rubbish(db::Connection& connection);

}  // namespace quarry::index
