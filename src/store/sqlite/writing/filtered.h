// Makes one step of a change to whatever matches a filter.
#pragma once

#include "store/rules/filters.h"
#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request);

}  // namespace quarry::store
