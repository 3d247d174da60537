// The tables session and session_day: operations one by one while they are young, then by day.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<void> add_session(Ledger& ledger, const Session& session);

// Adds up to `limit` sessions that began before `when` to those of their day, and drops them. Returns how
// many.
Result<std::int64_t> fold_sessions(Ledger& ledger, Timestamp when, int limit);
// The same for a crawl, which is about to be removed. One without retention leaves nothing.
Result<void> fold_group(Ledger& ledger, std::int64_t group);

}  // namespace quarry::store
