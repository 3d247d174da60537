#include "store/sqlite/writing/change_urls.h"

#include "store/sqlite/writing/endings.h"
#include "store/sqlite/writing/operations.h"
#include "store/sqlite/writing/lease_life.h"

namespace quarry::store {

namespace {

Result<bool> cancel(Ledger& ledger, const Job& job, const UrlRow& row) {
    if (job.state == JobState::running) TRY(revoke(ledger, job.id));
    const UrlState was = job.state == JobState::running ? UrlState::running : UrlState::queued;
    TRY(end_url(ledger, row,
                {.state = UrlState::cancelled,
                 .attempts = row.attempts,
                 .stalls = row.stalls,
                 .finished_at = ledger.now()},
                was));
    return true;
}

// A URL that never had its turn in a crawl that is over waits again once the crawl is open again.
Result<bool> retry(Ledger& ledger, UrlRow row) {
    OpenGroup* group = TRY(reopen_group(ledger, row.group));
    if (!group) return false;
    if (row.state == UrlState::queued) return true;
    count_url(group->counters, row.state, row.status, -1);
    count_url(group->counters, UrlState::queued, 0, 1);
    TRY(ledger.rows().urls.renew(row.id));
    row.run_at.reset();
    ledger.put_in_line(*group, row);
    ledger.touch(*group);
    return true;
}

Result<bool> clear(Ledger& ledger, const UrlRow& row) {
    TRY(ledger.rows().urls.forget(row.id));
    ledger.forget_known();
    OpenGroup* group = ledger.group(row.group);
    if (!group) return true;
    count_url(group->counters, row.state, row.status, -1);
    --group->counters.discovered;
    ledger.touch(*group);
    return true;
}

}  // namespace

Result<bool> change_url(Ledger& ledger, BulkChange change, const Job& job) {
    const auto row = TRY(ledger.rows().urls.find(number(job.id)));
    if (!row) return false;
    switch (change) {
        case BulkChange::cancel: return cancel(ledger, job, *row);
        case BulkChange::retry: return retry(ledger, *row);
        case BulkChange::clear: return clear(ledger, *row);
        case BulkChange::pause:
        case BulkChange::resume:
        case BulkChange::hasten:
        case BulkChange::reprioritise: return false;
    }
    return false;
}

}  // namespace quarry::store
