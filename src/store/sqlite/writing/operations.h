// From the moment a group is added to its end: it waits for its place, runs, may be paused, and is over
// exactly when nothing of it is left to do. All in the transaction that makes it so.
#pragma once

#include <string>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<void> cancel_group(Ledger& ledger, GroupId group);
Answer<void> pause_group(Ledger& ledger, GroupId group);
Answer<void> resume_group(Ledger& ledger, GroupId group);
Answer<void> fail_group(Ledger& ledger, GroupId group, const std::string& reason);
Answer<void> reprioritise_group(Ledger& ledger, GroupId group, int priority);

Answer<void> set_owner_limits(Ledger& ledger, const std::string& owner, const OwnerLimits& limits);

// The group, open again if it was over: what never had its turn waits again. nullptr if there is none.
Result<OpenGroup*> reopen_group(Ledger& ledger, std::int64_t group);

// Completes the groups that have nothing left to do, after their closing jobs.
Result<void> settle_groups(Ledger& ledger);
// Lets waiting groups run, as far as there is room: the smaller priority first, then the older.
Result<void> start_waiting_groups(Ledger& ledger);

// Why nothing can be done with a group that is not open, as an error; nothing if it is open.
Result<std::optional<Error>> closed_group_error(Ledger& ledger, GroupId group);

}  // namespace quarry::store
