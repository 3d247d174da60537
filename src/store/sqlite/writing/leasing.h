// Claims: which jobs and URLs a worker gets.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<Leased> lease(Ledger& ledger, const Demand& demand);

}  // namespace quarry::store
