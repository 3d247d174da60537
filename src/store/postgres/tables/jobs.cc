#include "store/postgres/tables/jobs.h"

#include <algorithm>
#include <functional>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

#define LEASED_COLUMNS JOB_COLUMNS_OF(lease) ", lease.token, lease.worker, lease.has_begun, lease.leased_at"

constexpr db::PgStatement take_leases_sql{
    "take_leases", "delete from quarry.lease where id = any($1::bigint[]) returning " LEASED_COLUMNS};
constexpr db::PgStatement take_fenced_jobs_sql{
    "take_fenced_leases",
    "delete from quarry.lease using unnest($1::bigint[], $2::bigint[]) as u(id, token)"
    " where lease.id = u.id and lease.token = u.token returning " LEASED_COLUMNS};
constexpr db::PgStatement take_jobs_of_worker_sql{
    "take_leases_of_worker", "delete from quarry.lease where worker = $1 returning " LEASED_COLUMNS};
constexpr db::PgStatement take_of_group_sql{
    "take_leases_of_group", "delete from quarry.lease where grp = $1 returning " LEASED_COLUMNS};

// The tables of waiting jobs have the same columns; only parked ones may be paused.
#define TAKE_WAITING(ready_condition, parked_condition)                                        \
    "with r as (delete from quarry.ready where " ready_condition " returning " JOB_COLUMNS_OF( \
        ready) ", false as paused), p as (delete from quarry.parked where " parked_condition   \
               " returning " JOB_COLUMNS_OF(                                                   \
                   parked) ", reason = 4 as paused) select * from r union all select * from p order by 1"

constexpr db::PgStatement take_waiting_sql{
    "take_waiting",
    TAKE_WAITING("(kind, id) in (select k.id, u.id from quarry.kind k, unnest($1::bigint[]) u(id))",
                 "id = any($1::bigint[])")};
constexpr db::PgStatement take_waiting_of_group_sql{"take_waiting_of_group",
                                                    TAKE_WAITING("grp = $1", "grp = $1")};
constexpr db::PgStatement take_ready_of_group_sql{
    "take_ready_of_group", "delete from quarry.ready where grp = $1 returning " JOB_COLUMNS_OF(ready)};
constexpr db::PgStatement take_parked_sql{
    "take_parked",
    "with p as (delete from quarry.parked where grp = $1 and reason = $2 returning " JOB_COLUMNS_OF(
        parked) ") select * from p order by id"};

// Jobs are given as an array for each column. One whose values are all the same is an array of one; one
// without values is empty: most are, and PostgreSQL spends more time on taking arrays apart than on the rows.
#define GIVEN_JOBS                                                                                           \
    "unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], "            \
    "$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], " \
    "$14::text[], $15::text[], $16::bigint[]"
#define GIVEN_NAMES                                                                                          \
    "u(id, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention, created_at, run_at, " \
    "start_by, deadline, unique_key, last_error, snoozes"
#define SAME(name, place) "coalesce(" #name ", ($" #place "::bigint[])[1])"
#define GIVEN_COLUMNS                                                                                      \
    "id, " SAME(kind, 2) ", " SAME(priority, 3) ", " SAME(owner, 4) ", grp, " SAME(attempts, 6) ", " SAME( \
        max_attempts, 7) ", " SAME(stalls, 8) ", " SAME(zero_retention, 9) " <> 0, " SAME(created_at, 10)
#define INSERT_JOBS(table, extra)                                                                           \
    "insert into quarry." table                                                                             \
    "(id, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention, created_at, run_at, " \
    "start_by, deadline, unique_key, last_error, snoozes, " extra ") select " GIVEN_COLUMNS                 \
    ", run_at, start_by, deadline, unique_key, last_error, coalesce(snoozes, 0), extra from " GIVEN_JOBS    \
    ", $17::bigint[]) as " GIVEN_NAMES ", extra)"

constexpr db::PgStatement insert_ready_sql{"insert_ready", INSERT_JOBS("ready", "turn")};
constexpr db::PgStatement insert_parked_sql{"insert_parked", INSERT_JOBS("parked", "reason")};

constexpr db::PgStatement insert_done_sql{
    "insert_done",
    "insert into quarry.done(id, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention, "
    "created_at, deadline, unique_key, last_error, state, started_at, finished_at, token, result) "
    "select " GIVEN_COLUMNS ", deadline, unique_key, last_error, " SAME(state, 17) ", started_at, " SAME(
        finished_at,
        19) ", token, result from " GIVEN_JOBS
            ", $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::text[]) as " GIVEN_NAMES
            ", state, started_at, finished_at, token, result)"};

db::PgIntegers one_or_all(db::PgIntegers column) {
    const bool are_same = std::ranges::adjacent_find(column, std::not_equal_to<>()) == column.end();
    if (are_same && !column.empty()) column.resize(1);
    return column;
}
template <typename Column>
Column none_or_all(Column column) {
    if (std::ranges::none_of(column, [](const auto& value) { return value.has_value(); })) column.clear();
    return column;
}

Rows rows_of(const db::PgRows& found, bool are_leased, bool have_pause = false) {
    Rows rows;
    rows.reserve(static_cast<std::size_t>(found.size()));
    for (int index = 0; index < found.size(); ++index) {
        const db::PgRow row(found, index);
        rows.push_back(are_leased ? leased_row(row) : job_row(row));
        if (have_pause) rows.back().is_paused = row.boolean(job_columns);
    }
    return rows;
}

// The columns of many rows, as arrays.
class Columns {
public:
    void add(const JobRow& row) {
        const std::int64_t values[] = {row.id,
                                       row.kind,
                                       row.priority,
                                       row.owner,
                                       row.group,
                                       row.attempts,
                                       row.max_attempts,
                                       row.stalls,
                                       row.zero_retention ? 1 : 0,
                                       column_of(row.created_at)};
        for (std::size_t index = 0; index < std::size(values); ++index)
            integers_[index].emplace_back(values[index]);
        if (row.group == 0) integers_[4].back().reset();
        integers_[10].push_back(column_of(row.run_at));
        integers_[11].push_back(column_of(row.start_by));
        integers_[12].push_back(column_of(row.deadline));
        texts_[0].emplace_back(row.unique_key);
        texts_[1].emplace_back(row.last_error);
        snoozes_.emplace_back(row.snoozes);
        if (row.snoozes == 0) snoozes_.back().reset();
    }
    db::PgValues values() const {
        db::PgValues values(integers_[0]);  // ids say how many rows there are
        for (std::size_t place = 1; place < std::size(integers_); ++place) {
            const bool is_optional = place == 4 || place >= 10;
            values.add(is_optional ? none_or_all(integers_[place]) : one_or_all(integers_[place]));
        }
        for (const db::PgTexts& column : texts_) values.add(none_or_all(column));
        values.add(none_or_all(snoozes_));
        return values;
    }

private:
    db::PgIntegers integers_[13];
    db::PgTexts texts_[2];
    db::PgIntegers snoozes_;
};

}  // namespace

JobRow job_row(const db::PgRow& row) {
    JobRow job{.id = row.integer(0),
               .kind = row.integer(1),
               .priority = static_cast<int>(row.integer(2)),
               .owner = row.integer(3),
               .group = row.integer(4),
               .attempts = static_cast<int>(row.integer(5)),
               .max_attempts = static_cast<int>(row.integer(6)),
               .stalls = static_cast<int>(row.integer(7)),
               .zero_retention = row.boolean(8),
               .created_at = time_of(row.integer(9)),
               .run_at = time_of(row.optional_integer(10)),
               .start_by = time_of(row.optional_integer(11)),
               .deadline = time_of(row.optional_integer(12))};
    if (!row.is_null(13)) job.unique_key = row.text(13);
    if (!row.is_null(14)) job.last_error = row.text(14);
    job.snoozes = static_cast<int>(row.integer(15));
    return job;
}

JobRow leased_row(const db::PgRow& row) {
    JobRow job = job_row(row);
    job.token = row.integer(job_columns);
    job.worker = row.integer(job_columns + 1);
    job.has_begun = row.boolean(job_columns + 2);
    job.leased_at = time_of(row.integer(job_columns + 3));
    return job;
}

Result<Rows> take_leases(db::PgConnection& sql, const db::PgIntegers& ids) {
    return rows_of(TRY(sql.run(take_leases_sql, db::PgValues(ids))), true);
}

Result<Rows> take_leases(db::PgConnection& sql, const db::PgIntegers& ids, const db::PgIntegers& tokens) {
    return rows_of(TRY(sql.run(take_fenced_jobs_sql, db::PgValues(ids, tokens))), true);
}

Result<Rows> take_leases_of_worker(db::PgConnection& sql, std::int64_t worker) {
    return rows_of(TRY(sql.run(take_jobs_of_worker_sql, db::PgValues(worker))), true);
}

Result<Rows> take_leases_of_group(db::PgConnection& sql, std::int64_t group) {
    return rows_of(TRY(sql.run(take_of_group_sql, db::PgValues(group))), true);
}

Result<Rows> take_waiting(db::PgConnection& sql, const db::PgIntegers& ids) {
    return rows_of(TRY(sql.run(take_waiting_sql, db::PgValues(ids))), false, true);
}

Result<Rows> take_waiting_of_group(db::PgConnection& sql, std::int64_t group) {
    return rows_of(TRY(sql.run(take_waiting_of_group_sql, db::PgValues(group))), false, true);
}

Result<Rows> take_ready_of_group(db::PgConnection& sql, std::int64_t group) {
    return rows_of(TRY(sql.run(take_ready_of_group_sql, db::PgValues(group))), false);
}

Result<Rows> take_parked(db::PgConnection& sql, std::int64_t group, Parking why) {
    return rows_of(TRY(sql.run(take_parked_sql, db::PgValues(group, static_cast<int>(why)))), false);
}

void insert_ready(db::PgConnection& sql, std::span<const JobRow> rows,
                  const std::vector<std::int64_t>& turns) {
    if (rows.empty()) return;
    Columns columns;
    for (const JobRow& row : rows) columns.add(row);
    sql.later(insert_ready_sql, std::move(columns.values().add(turns)));
}

void insert_parked(db::PgConnection& sql, std::span<const JobRow> rows,
                   const std::vector<std::int64_t>& reasons) {
    if (rows.empty()) return;
    Columns columns;
    for (const JobRow& row : rows) columns.add(row);
    sql.later(insert_parked_sql, std::move(columns.values().add(reasons)));
}

void insert_done(db::PgConnection& sql, std::span<const JobEnd> ends) {
    if (ends.empty()) return;
    Columns columns;
    db::PgIntegers states, started, finished, tokens;
    db::PgTexts results;
    for (const JobEnd& end : ends) {
        columns.add(end.row);
        states.emplace_back(static_cast<int>(end.state));
        started.push_back(column_of(end.started_at));
        finished.emplace_back(column_of(end.finished_at));
        tokens.push_back(end.token);
        results.emplace_back(end.result);
    }
    sql.later(insert_done_sql, std::move(columns.values()
                                             .add(one_or_all(states))
                                             .add(started)
                                             .add(one_or_all(finished))
                                             .add(tokens)
                                             .add(results)));
}

}  // namespace quarry::store::postgres
