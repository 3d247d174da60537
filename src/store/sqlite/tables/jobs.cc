#include "store/sqlite/tables/jobs.h"

#include "store/rows/columns.h"

namespace quarry::store {

Result<NameTable> NameTable::create(db::Connection& connection) {
    Statements sql;
    sql.all = TRY(connection.prepare("SELECT id, name FROM kind"));
    sql.insert = TRY(connection.prepare("INSERT INTO kind(id, name) VALUES (?1, ?2)"));
    NameTable table(std::move(sql));
    TRY(table.reload());
    return table;
}

Result<void> NameTable::reload() {
    ids_.clear();
    auto& rows = sql_.all.bind();
    while (TRY(rows.step())) ids_[std::string(rows.text(1))] = static_cast<int>(rows.integer(0));
    rows.reset();
    return {};
}

Result<int> NameTable::ensure(const std::string& name) {
    if (const int known = find(name)) return known;
    const int id = static_cast<int>(ids_.size()) + 1;
    TRY(sql_.insert.bind(id, name).run());
    ids_[name] = id;
    return id;
}

namespace {

// The columns that job_row_of() reads, in its order.
#define JOB_COLUMNS                                                                                   \
    "job.id, job.kind, job.priority, job.owner, job.grp, job.state, job.attempts, job.max_attempts, " \
    "job.stalls, job.snoozes, job.run_at, job.start_by, job.deadline, job.created_at"

JobRow job_row_of(const db::Statement& row) {
    return {.id = row.integer(0),
            .place = {.kind = static_cast<int>(row.integer(1)),
                      .priority = static_cast<int>(row.integer(2)),
                      .owner = static_cast<int>(row.integer(3)),
                      .group = row.integer(4)},
            .state = static_cast<JobState>(row.integer(5)),
            .attempts = static_cast<int>(row.integer(6)),
            .max_attempts = static_cast<int>(row.integer(7)),
            .stalls = static_cast<int>(row.integer(8)),
            .snoozes = static_cast<int>(row.integer(9)),
            .run_at = time_of(row.optional_integer(10)),
            .start_by = time_of(row.optional_integer(11)),
            .deadline = time_of(row.optional_integer(12)),
            .created_at = time_of(row.integer(13))};
}

std::optional<std::int64_t> nullable(std::int64_t id) {
    return id == 0 ? std::nullopt : std::optional(id);
}

std::optional<std::string_view> nullable(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

Result<void> for_each(db::Statement& statement, const std::function<void(const JobRow&)>& use) {
    while (TRY(statement.step())) use(job_row_of(statement));
    statement.reset();
    return {};
}

}  // namespace

Result<JobRows> JobRows::create(db::Connection& connection) {
    Statements sql;
    sql.insert = TRY(connection.prepare(R"sql(
        INSERT INTO job(id, kind, state, priority, owner, grp, attempts, max_attempts, stalls, progress,
                        zero_retention, created_at, run_at, start_by, deadline, unique_key)
        VALUES (?1, ?2, 0, ?3, ?4, ?5, 0, ?6, 0, 0, ?7, ?8, ?9, ?10, ?11, ?12))sql"));
    sql.insert_payload = TRY(connection.prepare("INSERT INTO payload(id, body) VALUES (?1, ?2)"));
    sql.find = TRY(connection.prepare("SELECT " JOB_COLUMNS " FROM job WHERE id = ?1"));
    sql.find_with_payload = TRY(
        connection.prepare("SELECT " JOB_COLUMNS
                           ", payload.body FROM job JOIN payload ON payload.id = job.id WHERE job.id = ?1"));
    sql.find_unique = TRY(connection.prepare("SELECT id FROM job WHERE unique_key = ?1"));
    sql.open = TRY(connection.prepare("SELECT " JOB_COLUMNS " FROM job ORDER BY id"));
    sql.of_group = TRY(connection.prepare("SELECT " JOB_COLUMNS " FROM job WHERE grp = ?1 ORDER BY id"));
    sql.requeue = TRY(connection.prepare(R"sql(
        UPDATE job SET attempts = ?2, stalls = ?3, run_at = ?4, snoozes = ?6, progress = 0,
                       last_error = coalesce(?5, last_error)
        WHERE id = ?1)sql"));
    sql.progress = TRY(connection.prepare("UPDATE job SET progress = ?2 WHERE id = ?1"));
    sql.copy_to_done = TRY(connection.prepare(R"sql(
        INSERT INTO done(id, kind, state, priority, owner, grp, attempts, max_attempts, stalls, zero_retention,
                         created_at, started_at, finished_at, deadline, token, unique_key, last_error, result)
        SELECT id, kind, ?2, priority, owner, grp, ?3, max_attempts, ?4, zero_retention,
               created_at, ?5, ?6, deadline, ?7, unique_key, coalesce(?8, last_error), ?9
        FROM job WHERE id = ?1)sql"));
    sql.remove = TRY(connection.prepare("DELETE FROM job WHERE id = ?1"));
    sql.ended_by = TRY(connection.prepare("SELECT token FROM done WHERE id = ?1"));
    sql.insert_lease =
        TRY(connection.prepare("INSERT INTO lease(id, token, worker, leased_at) VALUES (?1, ?2, ?3, ?4)"));
    sql.remove_lease = TRY(connection.prepare("DELETE FROM lease WHERE id = ?1"));
    sql.copy_back = TRY(connection.prepare(R"sql(
        INSERT OR IGNORE INTO job(id, kind, state, priority, owner, grp, attempts, max_attempts, stalls, progress,
                                  zero_retention, created_at, deadline, unique_key, last_error)
        SELECT id, kind, 0, priority, owner, grp, 0, max_attempts, 0, 0, zero_retention, created_at, NULL,
               unique_key, last_error
        FROM done WHERE id = ?1)sql"));
    sql.remove_done = TRY(connection.prepare("DELETE FROM done WHERE id = ?1"));
    sql.remove_payload = TRY(connection.prepare("DELETE FROM payload WHERE id = ?1"));
    sql.set_state = TRY(connection.prepare("UPDATE job SET state = ?2 WHERE id = ?1"));
    sql.set_priority = TRY(connection.prepare("UPDATE job SET priority = ?2 WHERE id = ?1"));
    return JobRows(connection, std::move(sql));
}

Result<void> JobRows::insert(std::int64_t id, const ReadyPlace& place, const NewJob& job, Timestamp now) {
    TRY(sql_.insert
            .bind(id, place.kind, place.priority, place.owner, nullable(place.group), job.max_attempts,
                  job.zero_retention, column_of(now), column_of(job.run_at), column_of(job.start_by),
                  column_of(job.deadline), nullable(job.unique_key))
            .run());
    return sql_.insert_payload.bind(id, job.payload).run();
}

Result<std::optional<JobRow>> JobRows::find(std::int64_t id) {
    if (!TRY(sql_.find.bind(id).step())) return std::nullopt;
    const JobRow row = job_row_of(sql_.find);
    sql_.find.reset();
    return row;
}

Result<bool> JobRows::find(std::int64_t id, const std::function<void(const JobRow&, std::string_view)>& use) {
    if (!TRY(sql_.find_with_payload.bind(id).step())) return false;
    use(job_row_of(sql_.find_with_payload), sql_.find_with_payload.text(14));
    sql_.find_with_payload.reset();
    return true;
}

Result<std::optional<std::int64_t>> JobRows::find_unique(std::string_view key) {
    if (!TRY(sql_.find_unique.bind(key).step())) return std::nullopt;
    const std::int64_t id = sql_.find_unique.integer(0);
    sql_.find_unique.reset();
    return id;
}

Result<void> JobRows::for_each_open(const std::function<void(const JobRow&)>& use) {
    return for_each(sql_.open.bind(), use);
}

Result<void> JobRows::for_each_of_group(std::int64_t group, const std::function<void(const JobRow&)>& use) {
    return for_each(sql_.of_group.bind(group), use);
}

Result<void> JobRows::requeue(const JobRow& row, std::optional<std::string_view> error) {
    return sql_.requeue.bind(row.id, row.attempts, row.stalls, column_of(row.run_at), error, row.snoozes)
        .run();
}

Result<void> JobRows::set_progress(std::int64_t id, int percent) {
    return sql_.progress.bind(id, percent).run();
}

Result<void> JobRows::move_to_done(std::int64_t id, const JobEnd& end) {
    std::optional<std::int64_t> token;
    if (end.token) token = number(*end.token);
    TRY(sql_.copy_to_done
            .bind(id, static_cast<int>(end.state), end.attempts, end.stalls, column_of(end.started_at),
                  column_of(end.finished_at), token, end.error, end.result)
            .run());
    return sql_.remove.bind(id).run();
}

Result<bool> JobRows::move_back(std::int64_t id) {
    TRY(sql_.copy_back.bind(id).run());
    if (connection_->changes() == 0) return false;
    TRY(sql_.remove_done.bind(id).run());
    return true;
}

Result<void> JobRows::set_state(std::int64_t id, JobState state) {
    return sql_.set_state.bind(id, static_cast<int>(state)).run();
}

Result<void> JobRows::set_priority(std::int64_t id, int priority) {
    return sql_.set_priority.bind(id, priority).run();
}

Result<void> JobRows::forget_open(std::int64_t id) {
    TRY(sql_.remove.bind(id).run());
    return sql_.remove_payload.bind(id).run();
}

Result<void> JobRows::forget_done(std::int64_t id) {
    TRY(sql_.remove_done.bind(id).run());
    return sql_.remove_payload.bind(id).run();
}

Result<std::optional<std::int64_t>> JobRows::ended_by(std::int64_t id) {
    if (!TRY(sql_.ended_by.bind(id).step())) return std::nullopt;
    const auto token = sql_.ended_by.optional_integer(0);
    sql_.ended_by.reset();
    return token;
}

Result<void> JobRows::insert_lease(std::int64_t id, Token token, WorkerId worker, Timestamp now) {
    return sql_.insert_lease.bind(id, number(token), number(worker), column_of(now)).run();
}

Result<void> JobRows::remove_lease(std::int64_t id) {
    return sql_.remove_lease.bind(id).run();
}

}  // namespace quarry::store
