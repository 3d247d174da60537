// The tables api_key, request, request_day, usage, session, session_day and operation: who may ask, what
// was asked, what came of it and what it cost. Rows are kept one by one while they are young, then by day.
#pragma once

#include <span>

#include "store/sqlite/ledger.h"

namespace quarry::store {

// The tables api_key, request, request_day and usage: who may ask, what was asked, what it cost.

Answer<std::int64_t> add_key(Ledger& ledger, const ApiKey& key);
Answer<bool> revoke_key(Ledger& ledger, std::int64_t id);

Answer<void> add_requests(Ledger& ledger, std::span<const RequestRecord> requests);
// Adds up to `limit` requests older than `when` to those of their day, and drops them. Returns how many.
Result<std::int64_t> fold_requests(Ledger& ledger, Timestamp when, int limit);

// The tables session and session_day: operations one by one while they are young, then by day.

Answer<void> add_session(Ledger& ledger, const Session& session);

// Adds up to `limit` sessions that began before `when` to those of their day, and drops them. Returns how
// many.
Result<std::int64_t> fold_sessions(Ledger& ledger, Timestamp when, int limit);
// The same for a crawl, which is about to be removed. One without retention leaves nothing.
Result<void> fold_group(Ledger& ledger, std::int64_t group);

// The table operation: what the index did for each page.

// Those from before `when` become sums of their days, up to `limit` of them. Returns how many.
Result<std::int64_t> fold_operations(Ledger& ledger, Timestamp when, int limit);

}  // namespace quarry::store
