// How jobs and URLs end: the row, the counters, and who is told.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// What is said of a job, URL or change whose workers died once too often.
inline constexpr std::string_view worker_timed_out = "Worker timed out";

// Moves an open job to those that have ended. Its lease, if it had one, is gone already.
Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end);

// The same for a URL. `was`: queued or running.
Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was);

// Adds `change` to the counter of URLs in this state. `status` is what HTTP said: 404 and 410 are counted
// too.
void count_url(GroupCounters& counters, UrlState state, int status, int change);

}  // namespace quarry::store
