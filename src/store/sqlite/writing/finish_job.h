// How the outcome of a job's handler becomes its end, or its next try.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// The lease has been removed already.
Result<void> finish_job(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);

}  // namespace quarry::store
