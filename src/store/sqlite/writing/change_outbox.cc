#include "store/sqlite/writing/change_outbox.h"

#include "store/sqlite/writing/lease_life.h"

namespace quarry::store {

namespace {

Result<bool> cancel(Ledger& ledger, const ChangeRow& row) {
    if (ledger.leases.contains(row.id)) TRY(revoke(ledger, JobId(row.id)));
    TRY(ledger.outbox().rows.end(row, {.state = JobState::cancelled, .finished_at = ledger.now()}));
    return true;
}

Result<bool> set_state(Ledger& ledger, ChangeRow row, JobState state) {
    TRY(ledger.outbox().rows.set_state(row, state));
    row.state = state;
    if (state == JobState::queued) ledger.outbox().put_in_line(row);
    return true;
}

Result<bool> reprioritise(Ledger& ledger, ChangeRow row, int priority) {
    TRY(ledger.outbox().rows.set_priority(row.id, priority));
    row.priority = priority;
    if (row.state == JobState::queued) ledger.outbox().put_in_line(row);
    return true;
}

// A change that was given up may point at words that its page has no more: the newer change stands for it.
// One that waits after an error need not wait any longer.
Result<bool> retry(Ledger& ledger, ChangeRow row) {
    if (row.state == JobState::queued && !row.run_at) return false;
    if (TRY(ledger.outbox().rows.is_outdated(row))) {
        TRY(ledger.outbox().rows.forget(row));
        return false;
    }
    TRY(ledger.outbox().rows.restart(row));
    row.run_at.reset();
    ledger.outbox().put_in_line(row);
    return true;
}

Result<bool> hasten(Ledger& ledger, ChangeRow row) {
    if (!row.run_at) return false;
    row.run_at.reset();
    TRY(ledger.outbox().rows.requeue(row, std::nullopt));
    ledger.outbox().put_in_line(row);
    return true;
}

Result<bool> clear(Ledger& ledger, const ChangeRow& row) {
    TRY(ledger.outbox().rows.forget(row));
    return true;
}

}  // namespace

Result<bool> change_outbox(Ledger& ledger, const BulkRequest& request, const Job& job) {
    const auto row = TRY(ledger.outbox().rows.find(number(job.id)));
    if (!row) return false;
    ledger.wake();
    switch (request.change) {
        case BulkChange::cancel: return cancel(ledger, *row);
        case BulkChange::pause: return set_state(ledger, *row, JobState::paused);
        case BulkChange::resume: return set_state(ledger, *row, JobState::queued);
        case BulkChange::retry: return retry(ledger, *row);
        case BulkChange::hasten: return hasten(ledger, *row);
        case BulkChange::clear: return clear(ledger, *row);
        case BulkChange::reprioritise: return reprioritise(ledger, *row, embedding_priority(request.priority));
    }
    return false;
}

}  // namespace quarry::store
