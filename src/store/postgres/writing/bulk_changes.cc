#include "store/postgres/reading/reading.h"
#include "store/postgres/tables/outbox.h"
#include "store/postgres/tables/urls.h"
#include "store/postgres/writing/operations.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

namespace {

constexpr int rows_per_step = 500;

// Opens an ended job again unless another open job has taken its unique key.
constexpr db::PgStatement take_done_sql{"take_done",
                                        R"sql(
    with free as materialized (
        select done.* from quarry.done where id = $1
            and (unique_key is null or not exists (select 1 from quarry.job_key where key = unique_key)) for update),
    key as (insert into quarry.job_key(key, id) select unique_key, id from free where unique_key is not null)
    delete from quarry.done where id = (select id from free) and finished_at = (select finished_at from free)
    returning )sql"
                                        "done.id, done.kind, done.priority, done.owner, done.grp, 0, "
                                        "done.max_attempts, 0, done.zero_retention, done.created_at, "
                                        "null::bigint, null::bigint, null::bigint, done.unique_key, "
                                        "done.last_error"};
constexpr db::PgStatement forget_done_sql{"forget_done", R"sql(
    with p as (delete from quarry.payload where id = any($1::bigint[]))
    delete from quarry.done where id = any($1::bigint[]))sql"};
constexpr db::PgStatement forget_payload_sql{"forget_payload", "delete from quarry.payload where id = $1"};
constexpr db::PgStatement forget_key_sql{"forget_key", "delete from quarry.job_key where key = $1"};

Result<bool> cancel_filtered_job(Ledger& ledger, JobRow row, std::optional<Timestamp> started_at) {
    TRY(ledger.end_job({.row = std::move(row),
                        .state = JobState::cancelled,
                        .finished_at = ledger.now(),
                        .started_at = started_at}));
    return true;
}

Result<bool> clear_job(Ledger& ledger, const JobRow& row) {
    TRY(ledger.sql().run(forget_payload_sql, db::PgValues(row.id)));
    if (row.unique_key) TRY(ledger.sql().run(forget_key_sql, db::PgValues(*row.unique_key)));
    TRY(ledger.count_open_job(row.owner, row.group, -1));
    return true;
}

Result<bool> retry_job(Ledger& ledger, const Job& job) {
    if (job.group && !TRY(reopen_group(ledger, number(*job.group)))) return false;
    const db::PgRows rows = TRY(ledger.sql().run(take_done_sql, db::PgValues(number(job.id))));
    if (rows.empty()) return false;
    JobRow row = job_row(db::PgRow(rows, 0));
    TRY(ledger.count_open_job(row.owner, row.group, 1));
    ledger.put_in_line(std::move(row));
    return true;
}

// Changes a waiting job that was taken out of its table.
Result<bool> change_waiting(Ledger& ledger, const BulkRequest& request, JobRow row) {
    switch (request.change) {
        case BulkChange::cancel: return cancel_filtered_job(ledger, std::move(row), std::nullopt);
        case BulkChange::clear: return clear_job(ledger, row);
        case BulkChange::pause: row.is_paused = true; break;
        case BulkChange::resume: row.is_paused = false; break;
        case BulkChange::reprioritise: row.priority = request.priority; break;
        case BulkChange::retry:
        case BulkChange::hasten: break;
    }
    ledger.put_in_line(std::move(row));
    return true;
}

Result<bool> change_job(Ledger& ledger, const BulkRequest& request, const Job& job) {
    if (request.change == BulkChange::retry) return retry_job(ledger, job);
    const std::int64_t id = number(job.id);
    Rows waiting = TRY(take_waiting(ledger.sql(), db::PgIntegers{id}));
    if (!waiting.empty()) return change_waiting(ledger, request, std::move(waiting[0]));
    if (request.change == BulkChange::cancel) {
        auto row = TRY(revoke_job(ledger, id));
        if (!row) return false;
        const Timestamp leased_at = row->leased_at;
        return cancel_filtered_job(ledger, *std::move(row), leased_at);
    }
    if (request.change != BulkChange::clear || job.state == JobState::running) return false;
    return TRY(ledger.sql().run(forget_done_sql, db::PgValues(std::vector{id}))).affected() > 0;
}

// A URL that never had its turn waits again once its ended crawl is open again.
Result<bool> retry_url(Ledger& ledger, const UrlRow& row) {
    OpenGroup* group = TRY(reopen_group(ledger, row.group));
    if (!group) return false;
    if (row.state == UrlState::queued) return true;
    count_url(group->counters, row.state, row.status, -1);
    count_url(group->counters, UrlState::queued, 0, 1);
    ledger.touch(*group);
    TRY(renew_url(ledger, row));
    return true;
}

Result<bool> clear_url(Ledger& ledger, const UrlRow& row) {
    OpenGroup* group = TRY(ledger.group(row.group));
    TRY(take_url_from_line(ledger.sql(), row));
    TRY(forget_url(ledger.sql(), row.id));
    ledger.forget_known();
    if (!group) return true;
    count_url(group->counters, row.state, row.status, -1);
    --group->counters.discovered;
    ledger.touch(*group);
    return true;
}

Result<bool> cancel_url(Ledger& ledger, const UrlRow& row) {
    const bool was_running = TRY(revoke_url(ledger, row.id));
    TRY(take_url_from_line(ledger.sql(), row));
    TRY(end_url(ledger, row, {.state = UrlState::cancelled},
                was_running ? UrlState::running : UrlState::queued));
    return true;
}

Result<bool> change_url(Ledger& ledger, BulkChange change, const Job& job) {
    if (job.group) TRY(ledger.any_group(number(*job.group)));  // locked before its URLs are looked at
    const auto row = TRY(find_url(ledger.sql(), number(job.id)));
    if (!row) return false;
    switch (change) {
        case BulkChange::cancel: return cancel_url(ledger, *row);
        case BulkChange::retry: return retry_url(ledger, *row);
        case BulkChange::clear: return clear_url(ledger, *row);
        case BulkChange::pause:
        case BulkChange::resume:
        case BulkChange::hasten:
        case BulkChange::reprioritise: return false;
    }
    return false;
}

// A failed change may point at words that its page no longer has; then the newer change replaces it. A change
// that waits after an error becomes due now.
Result<bool> retry_change(Ledger& ledger, const ChangeRow& row) {
    if (row.state == JobState::queued && !row.run_at) return false;
    if (TRY(is_outdated(ledger.sql(), row))) {
        TRY(forget_change(ledger, row));
        return false;
    }
    return restart_change(ledger, row);
}

Result<bool> change_outbox(Ledger& ledger, const BulkRequest& request, const Job& job) {
    const bool cancels = request.change == BulkChange::cancel;
    // A cancel locks rows in the same order as the transaction that finishes the change, and waits for that
    // transaction here. A retry locks the page before the change.
    if (cancels) TRY(revoke_change(ledger, number(job.id)));
    const auto row = request.change == BulkChange::retry ? TRY(find_change(ledger.sql(), number(job.id)))
                                                         : TRY(lock_change(ledger.sql(), number(job.id)));
    const JobState known = job.state == JobState::running ? JobState::queued : job.state;
    if (!row || (cancels ? is_over(row->state) : row->state != known)) return false;
    ledger.wake();
    switch (request.change) {
        case BulkChange::cancel: TRY(end_change(ledger, *row, {.state = JobState::cancelled})); break;
        case BulkChange::pause: TRY(set_change_state(ledger, *row, JobState::paused)); break;
        case BulkChange::resume: TRY(set_change_state(ledger, *row, JobState::queued)); break;
        case BulkChange::retry: return retry_change(ledger, *row);
        case BulkChange::hasten: return hasten_change(ledger, *row);
        case BulkChange::clear: TRY(forget_change(ledger, *row)); break;
        case BulkChange::reprioritise:
            TRY(set_change_priority(ledger, *row, embedding_priority(request.priority)));
            break;
    }
    return true;
}

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
    const std::vector<Job> jobs = TRY(read_jobs(ledger.sql(), page));
    std::set<std::int64_t> groups;
    for (const Job& job : jobs) {
        if (job.group) groups.insert(number(*job.group));
    }
    TRY(ledger.lock_groups(groups));
    for (const Job& job : jobs) step.changed += TRY(change_one(ledger, request, job)) ? 1 : 0;
    if (std::ssize(jobs) == rows_per_step) step.last = jobs.back().id;
    return step;
}

}  // namespace quarry::store::postgres
