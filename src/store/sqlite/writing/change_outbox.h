// One page change that waits to be indexed, changed by a person.
#pragma once

#include "store/sqlite/writing/filtered.h"

namespace quarry::store {

Result<bool> change_outbox(Ledger& ledger, const BulkRequest& request, const Job& job);

}  // namespace quarry::store
