// The tables api_key, request, request_day and usage: who may ask, what was asked, what it cost.
#pragma once

#include <span>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<std::int64_t> add_key(Ledger& ledger, const ApiKey& key);
Answer<bool> revoke_key(Ledger& ledger, std::int64_t id);

Answer<void> add_requests(Ledger& ledger, std::span<const RequestRecord> requests);
// Adds up to `limit` requests older than `when` to those of their day, and drops them. Returns how many.
Result<std::int64_t> fold_requests(Ledger& ledger, Timestamp when, int limit);

}  // namespace quarry::store
