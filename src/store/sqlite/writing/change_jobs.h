// One job changed by a person: cancelled, paused, tried again, cleared.
#pragma once

#include "store/sqlite/writing/filtered.h"

namespace quarry::store {

// `job` is in a state that the change is for. False if it could not be made.
Result<bool> change_job(Ledger& ledger, const BulkRequest& request, const Job& job);

}  // namespace quarry::store
