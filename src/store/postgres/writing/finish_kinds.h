// How a lease ends with its outcome: of a job, of a URL, of a change.
#pragma once

#include "store/postgres/tables/outbox.h"
#include "store/postgres/ledger.h"
#include "store/postgres/tables/urls.h"

namespace quarry::store::postgres {

Result<void> finish_job(Ledger& ledger, const JobRow& row, const Outcome& outcome);
Result<void> finish_url(Ledger& ledger, const LeasedUrl& url, const Outcome& outcome);
Result<void> finish_change(Ledger& ledger, const LeasedChange& change, const Outcome& outcome);

}  // namespace quarry::store::postgres
