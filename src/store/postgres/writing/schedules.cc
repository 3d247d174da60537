#include "store/postgres/writing/schedules.h"

#include "base/cron.h"
#include "store/rows/columns.h"
#include "store/job_json.h"
#include "store/postgres/writing/adding.h"

namespace quarry::store::postgres {

namespace {

// An expression that names no more times stays, and never comes.
constexpr Timestamp never = Timestamp::max();

constexpr db::PgStatement set_sql{"set_schedule", R"sql(
    insert into quarry.schedule(name, cron, job, grp, next_at) values ($1, $2, $3, $4, $5)
    on conflict (name) do update set cron = excluded.cron, job = excluded.job, grp = excluded.grp,
                                     next_at = excluded.next_at)sql"};
constexpr db::PgStatement remove_sql{"remove_schedule", "delete from quarry.schedule where name = $1"};
// Of many servers one runs it.
constexpr db::PgStatement due_sql{"due_schedules", R"sql(
    select name, cron, job, grp from quarry.schedule where next_at <= $1 order by name for update skip locked)sql"};
constexpr db::PgStatement advance_sql{"advance_schedule",
                                      "update quarry.schedule set next_at = $2 where name = $1"};

Timestamp next_time(const CronExpression& cron, Timestamp now) {
    return cron.next_after(now).value_or(never);
}

// Limits do not refuse it: a schedule has nobody to tell. A group's limit makes it wait instead.
Result<void> add_once(Ledger& ledger, const db::PgRow& row) {
    std::vector<NewJob> jobs = TRY(jobs_from_json(row.text(2)));
    if (row.is_null(3)) {
        TRY(insert_jobs(ledger, std::move(jobs)));
        return {};
    }
    // What is refused is tried again at the next time.
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

}  // namespace quarry::store::postgres
