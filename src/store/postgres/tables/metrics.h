// Sessions, requests and keys: what was done with a server, and by whom.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

Answer<void> add_session(Ledger& ledger, const Session& session);
Answer<void> add_requests(Ledger& ledger, std::span<const RequestRecord> requests);
Answer<std::int64_t> add_key(Ledger& ledger, const ApiKey& key);
Answer<bool> revoke_key(Ledger& ledger, std::int64_t id);

// Sums up what is older, by day, and removes it. Returns how many it removed, at most `limit`.
Result<std::int64_t> fold_sessions(Ledger& ledger, Timestamp when, int limit);
Result<std::int64_t> fold_requests(Ledger& ledger, Timestamp when, int limit);
Result<std::int64_t> fold_operations(Ledger& ledger, Timestamp when, int limit);
// The same for all of a table that has the columns of `request`, or `operation`, and removes nothing.
Result<std::int64_t> sum_up_requests(Ledger& ledger, const std::string& table);
Result<std::int64_t> sum_up_operations(Ledger& ledger, const std::string& table);
// A group that goes leaves its numbers.
Result<void> fold_group(Ledger& ledger, std::int64_t group);

}  // namespace quarry::store::postgres
