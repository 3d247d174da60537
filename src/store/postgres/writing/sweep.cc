#include <algorithm>

#include "store/postgres/partitions.h"
#include "store/postgres/tables/metrics.h"
#include "store/postgres/tables/pages.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

namespace {

constexpr int jobs_per_step = 1'000;
constexpr int rows_per_sweep = 300;

// A join would read all days, or what the planner takes for few enough of them. The times say which days the
// rows are in, and there their ids find them.
#define DELETE_OLD_JOBS                                                            \
    " p as (delete from quarry.payload where id = any(array(select id from old)))" \
    " delete from quarry.done where id = any(array(select id from old))"           \
    " and finished_at >= (select min(finished_at) from old)"                       \
    " and finished_at <= (select max(finished_at) from old)"

// Jobs of a group go with it, unless nothing may be left of them.
constexpr db::PgStatement sweep_jobs_sql{"sweep_jobs", R"sql(
    with old as materialized (
        select id, finished_at from quarry.done
        where finished_at <= greatest($1, $2, $3)
            and case when zero_retention then finished_at <= $3 when grp is not null then false
                     when state = 2 then finished_at <= $1 else finished_at <= $2 end
        limit $4 for update skip locked),)sql" DELETE_OLD_JOBS};

constexpr db::PgStatement old_changes_sql{"old_changes", R"sql(
    with old as materialized (select id from quarry.outbox where state in (2, 4) and finished_at <= $1
                              order by finished_at limit $2 for update skip locked),
         gone as (delete from quarry.outbox using old where outbox.id = old.id
                  returning outbox.id, outbox.page, outbox.content, outbox.grp, outbox.collection, outbox.state),
         given_up as (update quarry.page set outbox = $3 from gone
                      where gone.state = 4 and gone.content is not null and page.id = gone.page
                          and page.outbox = gone.id)
    select coalesce(grp, 0), collection, count(*) filter (where state = 2), count(*) filter (where state = 4)
    from gone group by 1, 2 order by 1, 2)sql"};

constexpr db::PgStatement expired_group_sql{"expired_group", R"sql(
    select id from quarry.grp
    where finished_at is not null and keep_ms is not null
        and finished_at + case when completed > 0 then keep_ms else keep_failed_ms end <= $1
    limit 1 for update skip locked)sql"};
constexpr db::PgStatement old_group_sql{"old_group", R"sql(
    select id from quarry.grp
    where finished_at is not null and keep_ms is null
        and finished_at <= case when zero_retention then $1 else $2 end and finished_at <= greatest($1, $2)
    limit 1 for update skip locked)sql"};

constexpr db::PgStatement drop_jobs_sql{"drop_jobs_of_group", R"sql(
    with old as materialized (
        select id, finished_at from quarry.done where grp = $1 order by id limit $2),)sql" DELETE_OLD_JOBS};
constexpr db::PgStatement drop_urls_sql{"drop_urls_of_group", R"sql(
    delete from quarry.frontier where id in (select id from quarry.frontier where grp = $1 limit $2))sql"};
constexpr db::PgStatement drop_aliases_sql{"drop_aliases_of_group",
                                           "delete from quarry.alias where grp = $1"};
constexpr db::PgStatement drop_lanes_sql{"drop_lanes_of_group", "delete from quarry.lane where grp = $1"};
constexpr db::PgStatement drop_group_sql{"drop_group", "delete from quarry.grp where id = $1"};

// Processes that ended without saying so, long ago.
constexpr db::PgStatement drop_workers_sql{
    "drop_workers", "delete from quarry.worker where is_dead and beat_at < $1 - 86400000"};

Result<std::int64_t> sweep_changes(Ledger& ledger, const Retention& retention) {
    const db::PgRows rows = TRY(ledger.sql().run(
        old_changes_sql, db::PgValues(column_of(ledger.now() - retention.outbox), rows_per_sweep, given_up)));
    std::int64_t swept = 0;
    for (int row = 0; row < rows.size(); ++row) {
        ChangeTally& tally = ledger.tally_of_changes(rows.integer(row, 0), std::string(rows.text(row, 1)));
        tally.completed -= rows.integer(row, 2);
        tally.cancelled -= rows.integer(row, 3);
        swept += rows.integer(row, 2) + rows.integer(row, 3);
    }
    return swept;
}

Result<std::optional<std::int64_t>> next_old_group(Ledger& ledger, const Retention& retention) {
    const auto first_of = [](const db::PgRows& rows) {
        return rows.empty() ? std::nullopt : std::optional(rows.integer(0, 0));
    };
    const Timestamp now = ledger.now();
    if (auto expired = first_of(TRY(ledger.sql().run(expired_group_sql, db::PgValues(column_of(now))))))
        return expired;
    return first_of(
        TRY(ledger.sql().run(old_group_sql, db::PgValues(column_of(now - retention.zero_retention),
                                                         column_of(now - retention.groups)))));
}

// Some of each table, and the group itself when nothing of it is left. Returns true then.
Result<bool> remove_some_of(Ledger& ledger, std::int64_t group, Swept& swept) {
    const DroppedPages dropped = TRY(drop_pages_of_group(ledger, group, rows_per_sweep));
    swept.contents += dropped.contents;
    swept.rows += dropped.results + dropped.pages;
    if (std::max(dropped.results, dropped.pages) >= rows_per_sweep) return false;
    for (const db::PgStatement* drop : {&drop_jobs_sql, &drop_urls_sql}) {
        const std::int64_t removed =
            TRY(ledger.sql().run(*drop, db::PgValues(group, rows_per_sweep))).affected();
        swept.rows += removed;
        if (removed >= rows_per_sweep) return false;
    }
    TRY(ledger.sql().run(drop_aliases_sql, db::PgValues(group)));
    TRY(ledger.sql().run(drop_lanes_sql, db::PgValues(group)));
    TRY(fold_group(ledger, group));
    TRY(ledger.sql().run(drop_group_sql, db::PgValues(group)));
    return true;
}

}  // namespace

Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention) {
    SweepStep step;
    step.swept.jobs =
        TRY(ledger.sql().run(sweep_jobs_sql,
                             db::PgValues(column_of(kept_since(ledger.now(), retention.completed_jobs)),
                                          column_of(kept_since(ledger.now(), retention.failed_jobs)),
                                          column_of(ledger.now() - retention.zero_retention), jobs_per_step)))
            .affected();
    if (step.swept.jobs > 0) return step;
    step.swept.changes = TRY(sweep_changes(ledger, retention));
    step.swept.sessions = TRY(fold_sessions(ledger, ledger.now() - retention.metrics, rows_per_sweep));
    step.swept.requests =
        TRY(fold_requests(ledger, kept_since(ledger.now(), retention.metrics), jobs_per_step));
    step.swept.operations =
        TRY(fold_operations(ledger, kept_since(ledger.now(), retention.metrics), jobs_per_step));
    step.swept.pages = TRY(drop_cached_pages(ledger, ledger.now() - retention.cache, rows_per_sweep));
    if (step.swept.total() > 0) return step;
    const auto group = TRY(next_old_group(ledger, retention));
    if (!group) {
        TRY(ledger.sql().run(drop_workers_sql, db::PgValues(column_of(ledger.now()))));
        return SweepStep{.is_last = true};
    }
    if (TRY(remove_some_of(ledger, *group, step.swept))) ++step.swept.groups;
    return step;
}

Answer<bool> erase_some(Ledger& ledger, GroupId group) {
    const auto closed = TRY(closed_group_error(ledger, group));
    if (!closed) return refuse<bool>(ErrorCode::conflict, "the group is not over");
    if (closed->code == ErrorCode::not_found) return Result<bool>(std::unexpected(*closed));
    Swept swept;
    return Result<bool>(TRY(remove_some_of(ledger, number(group), swept)));
}

}  // namespace quarry::store::postgres
