// How the outcome of a fetch becomes the end of its URL, or its next try.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// The lease has been removed already.
Result<void> finish_url(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);

}  // namespace quarry::store
