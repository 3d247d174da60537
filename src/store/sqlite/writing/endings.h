// How jobs and URLs end: the row, the counters, and who is told.
#pragma once

#include "store/sqlite/ledger.h"
#include "store/rules/url_count.h"

namespace quarry::store {

// Moves an open job to those that have ended. Its lease, if it had one, is gone already.
Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end);

// The same for a URL. `was`: queued or running.
Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was);

}  // namespace quarry::store
