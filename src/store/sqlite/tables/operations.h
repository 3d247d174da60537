// The table operation: what the index did for each page.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// Those from before `when` become sums of their days, up to `limit` of them. Returns how many.
Result<std::int64_t> fold_operations(Ledger& ledger, Timestamp when, int limit);

}  // namespace quarry::store
