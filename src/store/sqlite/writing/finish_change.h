// How a lease of a change ends: as the outcome of indexing it says, or without one.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// In all of these the lease has been removed already.
Result<void> finish_change(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);
// Its worker died while it was at work on it.
Result<void> stall_change(Ledger& ledger, JobId id);
// Nobody has begun with it.
Result<void> give_back_change(Ledger& ledger, JobId id);

}  // namespace quarry::store
