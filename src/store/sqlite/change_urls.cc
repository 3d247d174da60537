#include "store/sqlite/change_urls.h"

#include "store/sqlite/endings.h"
#include "store/sqlite/group_life.h"
#include "store/sqlite/lease_life.h"

namespace quarry::store {

namespace {

// The counter of a group that counts URLs in this state; nullptr for those that none counts.
std::int64_t* counter_of(GroupCounters& counters, UrlState state) {
    switch (state) {
        case UrlState::queued: return &counters.queued;
        case UrlState::running: return &counters.running;
        case UrlState::completed: return &counters.completed;
        case UrlState::failed: return &counters.failed;
        case UrlState::skipped: return &counters.skipped;
        case UrlState::cancelled: return nullptr;
    }
    return nullptr;
}

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
    if (std::int64_t* counter = counter_of(group->counters, row.state)) --*counter;
    ++group->counters.queued;
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
    if (std::int64_t* counter = counter_of(group->counters, row.state)) --*counter;
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
        case BulkChange::reprioritise: return false;
    }
    return false;
}

}  // namespace quarry::store
