#include <algorithm>

#include <fmt/format.h>

#include "base/cron.h"
#include "base/units.h"
#include "store/job_json.h"
#include "store/postgres/tables/outbox.h"
#include "store/postgres/tables/urls.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

// A schedule whose expression names no more times stays and never runs.
constexpr Timestamp never = Timestamp::max();

constexpr db::PgStatement set_sql{"set_schedule", R"sql(
    insert into quarry.schedule(name, cron, job, grp, next_at) values ($1, $2, $3, $4, $5)
    on conflict (name) do update set cron = excluded.cron, job = excluded.job, grp = excluded.grp,
                                     next_at = excluded.next_at)sql"};
constexpr db::PgStatement remove_sql{"remove_schedule", "delete from quarry.schedule where name = $1"};
// Of several processes, one runs a schedule.
constexpr db::PgStatement due_sql{"due_schedules", R"sql(
    select name, cron, job, grp from quarry.schedule where next_at <= $1 order by name for update skip locked)sql"};
constexpr db::PgStatement advance_sql{"advance_schedule",
                                      "update quarry.schedule set next_at = $2 where name = $1"};

Timestamp next_time(const CronExpression& cron, Timestamp now) {
    return cron.next_after(now).value_or(never);
}

// Limits on jobs do not apply: a schedule has no caller that could be told of a refusal. The limit on groups
// makes a group wait instead.
Result<void> add_once(Ledger& ledger, const db::PgRow& row) {
    std::vector<NewJob> jobs = TRY(jobs_from_json(row.text(2)));
    if (row.is_null(3)) {
        TRY(insert_jobs(ledger, std::move(jobs)));
        return {};
    }
    // A refused group is tried again at the schedule's next time.
    const NewGroup group = TRY(group_from_json(row.text(3)));
    (void)TRY(add_group(ledger, group, jobs, {}));
    return {};
}

}  // namespace

Answer<void> set_schedule(Ledger& ledger, const Schedule& schedule) {
    const auto cron = CronExpression::parse(schedule.cron);
    if (!cron) return Result<void>(std::unexpected(cron.error()));
    const Timestamp next_at = schedule.next_at.value_or(next_time(*cron, ledger.now()));
    const std::string job = jobs_to_json({schedule.job});
    std::optional<std::string> group;
    if (schedule.group) group = group_to_json(*schedule.group);
    TRY(ledger.sql().run(set_sql,
                         db::PgValues(schedule.name, schedule.cron, job, group, column_of(next_at))));
    ledger.wake();
    return Result<void>{};
}

Answer<bool> remove_schedule(Ledger& ledger, const std::string& name) {
    return TRY(ledger.sql().run(remove_sql, db::PgValues(name))).affected() > 0;
}

Result<void> run_schedules(Ledger& ledger) {
    const db::PgRows rows = TRY(ledger.sql().run(due_sql, db::PgValues(column_of(ledger.now()))));
    for (int index = 0; index < rows.size(); ++index) {
        const db::PgRow row(rows, index);
        const CronExpression cron = TRY(CronExpression::parse(row.text(1)));
        TRY(ledger.sql().run(advance_sql,
                             db::PgValues(row.text(0), column_of(next_time(cron, ledger.now())))));
        TRY(add_once(ledger, row));
    }
    return {};
}

namespace {

// least() ignores nulls. Deadlines and start limits are over once they are reached.
constexpr db::PgStatement look_sql{"look_what_is_due", R"sql(
    select (select min(beat_at) from quarry.worker where not is_dead),
           least((select min(run_at) from quarry.parked where reason = 1),
                 (select min(run_at) from quarry.url_delayed),
                 (select min(run_at) from quarry.outbox where state = 0 and run_at is not null),
                 (select min(start_by) from quarry.ready where start_by is not null),
                 (select min(start_by) from quarry.parked where start_by is not null),
                 (select min(deadline) from quarry.ready where deadline is not null),
                 (select min(deadline) from quarry.parked where deadline is not null),
                 (select min(deadline) from quarry.lease where deadline is not null),
                 (select min(next_at) from quarry.schedule where next_at < 9000000000000000)),
           exists (select 1 from quarry.parked where reason = 2),
           (select holder from quarry.leader where duty = 'maintenance' and until > quarry.now_ms()))sql"};
constexpr db::PgStatement has_waiting_group_sql{
    "has_waiting_group", "select 1 from quarry.grp where finished_at is null and state = 0 limit 1"};

constexpr db::PgStatement sleepers_sql{"jobs_to_wake", R"sql(
    select id, grp from quarry.parked where reason = 1 and run_at <= $1 order by run_at, id limit 1000)sql"};
constexpr db::PgStatement wake_jobs_sql{
    "wake_jobs",
    "with due as materialized (select id from quarry.parked where id = any($1::bigint[]) and reason = 1 "
    "order by run_at, id for update skip locked) "
    "delete from quarry.parked using due where parked.id = due.id returning " JOB_COLUMNS_OF(parked)};

// A job that has had an attempt has no start limit any more.
constexpr db::PgStatement late_starters_sql{"late_starters", R"sql(
    select id, grp from quarry.ready where start_by <= $1
    union all select id, grp from quarry.parked where start_by <= $1 limit 1000)sql"};
constexpr db::PgStatement overdue_sql{"overdue", R"sql(
    select id, grp from quarry.ready where deadline <= $1
    union all select id, grp from quarry.parked where deadline <= $1
    union all select id, grp from quarry.lease where deadline <= $1 limit 1000)sql"};

// The jobs that a statement finds. Their groups are locked here first: a transaction that locks a job before
// its group could deadlock with one that locks the group before the job.
Result<std::vector<std::int64_t>> ids_of(Ledger& ledger, const db::PgStatement& sql) {
    const db::PgRows rows = TRY(ledger.sql().run(sql, db::PgValues(column_of(ledger.now()))));
    std::vector<std::int64_t> ids;
    std::set<std::int64_t> groups;
    for (int row = 0; row < rows.size(); ++row) {
        ids.push_back(rows.integer(row, 0));
        if (const auto group = rows.optional_integer(row, 1)) groups.insert(*group);
    }
    TRY(ledger.lock_groups(groups));
    return ids;
}

Result<void> wake_jobs(Ledger& ledger) {
    const std::vector<std::int64_t> ids = TRY(ids_of(ledger, sleepers_sql));
    if (ids.empty()) return {};
    const db::PgRows rows = TRY(ledger.sql().run(wake_jobs_sql, db::PgValues(ids)));
    for (int row = 0; row < rows.size(); ++row) ledger.put_in_line(job_row(db::PgRow(rows, row)));
    return {};
}

Result<void> fail_job(Ledger& ledger, JobRow row, std::string error) {
    row.last_error = std::move(error);
    return ledger.end_job({.row = std::move(row), .state = JobState::failed, .finished_at = ledger.now()});
}

// Enforces the start limit: fails jobs that have waited too long for their first attempt.
Result<void> fail_late_starters(Ledger& ledger) {
    const std::vector<std::int64_t> ids = TRY(ids_of(ledger, late_starters_sql));
    if (ids.empty()) return {};
    for (JobRow& row : TRY(take_waiting(ledger.sql(), {ids.begin(), ids.end()}))) {
        const std::string patience = format_duration(*row.start_by - row.created_at);
        TRY(fail_job(ledger, std::move(row), fmt::format("waited longer than {} for its turn", patience)));
    }
    return {};
}

Result<void> fail_overdue(Ledger& ledger) {
    const std::vector<std::int64_t> ids = TRY(ids_of(ledger, overdue_sql));
    if (ids.empty()) return {};
    for (JobRow& row : TRY(take_waiting(ledger.sql(), {ids.begin(), ids.end()})))
        TRY(fail_job(ledger, std::move(row), "not done by its deadline"));
    for (const std::int64_t id : ids) {
        if (auto row = TRY(revoke_job(ledger, id)))
            TRY(fail_job(ledger, *std::move(row), "not done by its deadline"));
    }
    return {};
}

Result<void> do_what_is_due(Ledger& ledger) {
    TRY(bury_dead_workers(ledger));
    TRY(ledger.flush());
    TRY(fail_late_starters(ledger));
    TRY(fail_overdue(ledger));
    TRY(run_schedules(ledger));
    TRY(wake_jobs(ledger));
    TRY(wake_urls(ledger));
    return wake_changes(ledger);
}

}  // namespace

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right) {
    if (!left || !right) return left ? left : right;
    return std::min(*left, *right);
}

void look_what_is_due(db::PgBatch& batch) {
    batch.add(look_sql);
}

Due what_is_due(const db::PgRows& rows, const StoreLimits& limits, Timestamp now) {
    Due due{.next = time_of(rows.optional_integer(0, 1)),
            .has_backlog = rows.boolean(0, 2),
            .leader = rows.optional_integer(0, 3)};
    const auto beat = time_of(rows.optional_integer(0, 0));
    if (due.next && *due.next <= now) due.since = due.next;
    if (beat && now - *beat > limits.lease_duration)
        due.since = earlier(due.since, *beat + limits.lease_duration);
    due.now = due.since.has_value();
    return due;
}

Answer<void> do_what_is_due(Ledger& ledger, WorkerId worker) {
    hear_of(ledger, worker);
    TRY(do_what_is_due(ledger));
    return Result<void>{};
}

Result<void> maintain(Ledger& ledger) {
    TRY(do_what_is_due(ledger));
    if (!TRY(ledger.sql().run(has_waiting_group_sql)).empty()) ledger.reconsider_groups();
    return {};
}

}  // namespace quarry::store::postgres
