// One URL of a crawl changed by a person. A crawl is paused and reprioritised as a whole, not URL by URL.
#pragma once

#include "store/sqlite/writing/filtered.h"

namespace quarry::store {

Result<bool> change_url(Ledger& ledger, BulkChange change, const Job& job);

}  // namespace quarry::store
