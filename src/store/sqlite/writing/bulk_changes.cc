#include "store/sqlite/writing/change_jobs.h"

#include "store/sqlite/writing/endings.h"
#include "store/sqlite/writing/operations.h"
#include "store/sqlite/writing/lease_life.h"

namespace quarry::store {

namespace {

Result<bool> cancel(Ledger& ledger, const Job& job, JobRow row) {
    if (job.state == JobState::running) TRY(revoke(ledger, job.id));
    TRY(end_job(ledger, row,
                {.state = JobState::cancelled,
                 .attempts = row.attempts,
                 .stalls = row.stalls,
                 .started_at = job.started_at,
                 .finished_at = ledger.now()}));
    return true;
}

Result<bool> set_state(Ledger& ledger, JobRow row, JobState state) {
    TRY(ledger.rows().jobs.set_state(row.id, state));
    row.state = state;
    if (state == JobState::queued) ledger.put_in_line(row);
    return true;
}

Result<bool> reprioritise(Ledger& ledger, JobRow row, int priority) {
    TRY(ledger.rows().jobs.set_priority(row.id, priority));
    row.place.priority = priority;
    if (row.state == JobState::queued) ledger.put_in_line(row);
    return true;
}

Result<bool> retry(Ledger& ledger, const Job& job) {
    if (job.group && !TRY(reopen_group(ledger, number(*job.group)))) return false;
    if (!TRY(ledger.rows().jobs.move_back(number(job.id)))) return false;
    const auto row = TRY(ledger.rows().jobs.find(number(job.id)));
    ledger.count_open_job(row->place.owner, row->place.group, 1);
    ledger.put_in_line(*row);
    return true;
}

Result<bool> clear_open(Ledger& ledger, const JobRow& row) {
    TRY(ledger.rows().jobs.forget_open(row.id));
    ledger.count_open_job(row.place.owner, row.place.group, -1);
    return true;
}

Result<bool> change_open(Ledger& ledger, const BulkRequest& request, const Job& job, const JobRow& row) {
    switch (request.change) {
        case BulkChange::cancel: return cancel(ledger, job, row);
        case BulkChange::pause: return set_state(ledger, row, JobState::paused);
        case BulkChange::resume: return set_state(ledger, row, JobState::queued);
        case BulkChange::clear: return clear_open(ledger, row);
        case BulkChange::reprioritise: return reprioritise(ledger, row, request.priority);
        case BulkChange::retry:
        case BulkChange::hasten: return false;
    }
    return false;
}

}  // namespace

Result<bool> change_job(Ledger& ledger, const BulkRequest& request, const Job& job) {
    if (request.change == BulkChange::retry) return retry(ledger, job);
    if (const auto row = TRY(ledger.rows().jobs.find(number(job.id)))) {
        return change_open(ledger, request, job, *row);
    }
    if (request.change != BulkChange::clear) return false;
    TRY(ledger.rows().jobs.forget_done(number(job.id)));
    return true;
}

}  // namespace quarry::store
