// Which changes of the outbox a worker gets.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased);

}  // namespace quarry::store
