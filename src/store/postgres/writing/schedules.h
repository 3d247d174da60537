// Jobs that are added again and again.
#pragma once

#include <string>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule);
Answer<bool> remove_schedule(Ledger& ledger, const std::string& name);

// Adds the jobs of those whose time has come.
Result<void> run_schedules(Ledger& ledger);

}  // namespace quarry::store::postgres
