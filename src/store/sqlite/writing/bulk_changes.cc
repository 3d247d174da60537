// One job changed by a person: cancelled, paused, tried again, cleared.
#include "store/sqlite/reading/reading.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

// `job` is in a state that the change is for. False if it could not be made.
Result<bool> change_job(Ledger& ledger, const BulkRequest& request, const Job& job);

// One URL of a crawl changed by a person. A crawl is paused and reprioritised as a whole, not URL by URL.

Result<bool> change_url(Ledger& ledger, BulkChange change, const Job& job);

// One page change that waits to be indexed, changed by a person.

Result<bool> change_outbox(Ledger& ledger, const BulkRequest& request, const Job& job);

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
        case BulkChange::reprioritise:
            return reprioritise(ledger, *row, embedding_priority(request.priority));
    }
    return false;
}

namespace {

constexpr int rows_per_step = 500;

Result<bool> change_one(Ledger& ledger, const BulkRequest& request, const Job& job) {
    if (job.kind == "fetch_page") return change_url(ledger, request.change, job);
    if (job.kind == "embed_page") return change_outbox(ledger, request, job);
    return change_job(ledger, request, job);
}

}  // namespace

Answer<BulkStep> change_some(Ledger& ledger, const BulkRequest& request) {
    JobQuery page{.filter = request.filter, .after = request.after, .limit = rows_per_step};
    page.filter.states = states_of(request);
    if (page.filter.states.empty()) return BulkStep{};
    BulkStep step;
    const std::vector<Job> jobs = TRY(read_jobs(ledger.connection(), page, ledger.now()));
    for (const Job& job : jobs) step.changed += TRY(change_one(ledger, request, job)) ? 1 : 0;
    if (std::ssize(jobs) == rows_per_step) step.last = jobs.back().id;
    return step;
}

}  // namespace quarry::store
