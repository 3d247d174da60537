#include "store/postgres/tables/outbox.h"

#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement insert_change_sql{"insert_change", R"sql(
    with o as (insert into quarry.outbox(id, page, content, version, collection, grp, state, priority, created_at, url)
               values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9))
    insert into quarry.change_ready(id, priority, collection, page) values ($1, $7, $5, $2))sql"};
constexpr db::PgStatement find_change_sql{"find_change",
                                          "select " CHANGE_COLUMNS " from quarry.outbox o where o.id = $1"};
constexpr db::PgStatement lock_change_sql{
    "lock_change_row", "select " CHANGE_COLUMNS " from quarry.outbox o where o.id = $1 for update"};
constexpr db::PgStatement is_leased_sql{"is_change_leased",
                                        "select 1 from quarry.change_lease where id = $1"};
// An indexer may be at work on the row; then the row stays until the indexer is done. A row that is being
// claimed at this moment is locked in change_ready, and is checked once the claim is done.
constexpr db::PgStatement lock_ready_sql{"lock_change",
                                         "select 1 from quarry.change_ready where id = $1 for update"};
constexpr db::PgStatement supersede_sql{"supersede_change", R"sql(
    with r as (delete from quarry.change_ready where id = $1)
    delete from quarry.outbox o where o.id = $1 and not exists (select 1 from quarry.change_lease where id = $1)
    returning )sql" CHANGE_COLUMNS};
constexpr db::PgStatement renew_sql{
    "renew_change", "update quarry.outbox set content = $2, version = $3 where id = $1 and state <> 2"};

#define TAKE_LEASES(condition)                                                                \
    "with d as (delete from quarry.change_lease " condition                                   \
    " returning change_lease.*) select d.id, d.token, d.worker, d.has_begun, " CHANGE_COLUMNS \
    " from d join quarry.outbox o on o.id = d.id order by d.id"
constexpr db::PgStatement take_fenced_changes_sql{
    "take_change_leases", TAKE_LEASES("using unnest($1::bigint[], $2::bigint[]) as u(id, token) where "
                                      "change_lease.id = u.id and change_lease.token = u.token")};
constexpr db::PgStatement take_changes_of_worker_sql{"take_change_leases_of_worker",
                                                     TAKE_LEASES("where worker = $1")};
constexpr db::PgStatement take_one_sql{
    "take_change_lease",
    "delete from quarry.change_lease where id = $1 returning id, token, worker, has_begun"};

constexpr db::PgStatement end_sql{"end_change", R"sql(
    with r as (delete from quarry.change_ready where id = $1)
    update quarry.outbox set state = $2, attempts = $3, stalls = $4, finished_at = $5, token = $6,
                             last_error = coalesce($7, last_error), chunk_us = $8, embed_us = $9, index_us = $10,
                             chunks = $11, note = $12, words_us = $13, run_at = null
    where id = $1)sql"};
constexpr db::PgStatement note_operation_sql{"note_operation", R"sql(
    insert into quarry.operation(id, at, job, job_created_at, grp, grp_created_at, collection, url, request_id, error,
                                 chunk_us, embed_us, index_us, words_us, chunks, note)
    select nextval('quarry.id'), change.finished_at, change.id, change.created_at, grp.id, grp.created_at,
           change.collection, change.url, coalesce(grp.request_id, ''),
           case when change.state = 3 then coalesce(change.last_error, '') end, coalesce(change.chunk_us, 0),
           coalesce(change.embed_us, 0), coalesce(change.index_us, 0), coalesce(change.words_us, 0),
           coalesce(change.chunks, 0), coalesce(change.note, '')
    from quarry.outbox as change left join quarry.grp on grp.id = change.grp where change.id = $1)sql"};
constexpr db::PgStatement requeue_sql{"requeue_change", R"sql(
    update quarry.outbox set attempts = $2, stalls = $3, snoozes = $4, run_at = $5,
                             last_error = coalesce($6, last_error), finished_at = coalesce($7, finished_at)
    where id = $1)sql"};
constexpr db::PgStatement hasten_sql{
    "hasten_change",
    "update quarry.outbox set run_at = null where id = $1 and state = 0 and run_at is not null"};
constexpr db::PgStatement line_sql{"put_change_in_line", R"sql(
    insert into quarry.change_ready(id, priority, collection, page) values ($1, $2, $3, $4)
    on conflict (id) do update set priority = excluded.priority)sql"};
constexpr db::PgStatement unline_sql{"take_change_from_line",
                                     "delete from quarry.change_ready where id = $1"};
constexpr db::PgStatement set_state_sql{"set_change_state",
                                        "update quarry.outbox set state = $2 where id = $1"};
constexpr db::PgStatement set_priority_sql{"set_change_priority",
                                           "update quarry.outbox set priority = $2 where id = $1"};
constexpr db::PgStatement restart_sql{"restart_change", R"sql(
    update quarry.outbox set state = 0, attempts = 0, stalls = 0, snoozes = 0, run_at = null, finished_at = null,
                             token = null
    where id = $1 and state = $2 and (state <> 0 or run_at is not null))sql"};
constexpr db::PgStatement forget_change_sql{"forget_change", R"sql(
    with r as (delete from quarry.change_ready where id = $1),
         o as (delete from quarry.outbox where id = $1 returning id, page, content, state)
    update quarry.page set outbox = $2 from o
    where page.id = o.page and page.outbox = o.id and o.state <> 2 and o.content is not null)sql"};
// Waits for a transaction that is writing the page: that transaction counts on the lease that is being taken
// away.
constexpr db::PgStatement is_outdated_sql{"is_change_outdated", R"sql(
    with page as materialized (select outbox from quarry.page where id = $1 for update)
    select not exists (select 1 from page where outbox = $2))sql"};
// A service that was away may have left a million changes with the same time. The limit keeps callers from
// waiting for all of them.
constexpr db::PgStatement wake_sql{"wake_changes", R"sql(
    with due as materialized (select id from quarry.outbox where state = 0 and run_at is not null and run_at <= $1
                              order by run_at limit 512 for update skip locked),
         woken as (update quarry.outbox set run_at = null from due where outbox.id = due.id
                   returning outbox.id, priority, collection, page)
    insert into quarry.change_ready(id, priority, collection, page) select id, priority, collection, page from woken
    on conflict do nothing)sql"};

ChangeLeaseRow lease_of(const db::PgRow& row) {
    return {
        .id = row.integer(0), .token = row.integer(1), .worker = row.integer(2), .has_begun = row.boolean(3)};
}

std::vector<LeasedChange> leased_of(const db::PgRows& rows) {
    std::vector<LeasedChange> leased;
    for (int index = 0; index < rows.size(); ++index) {
        const db::PgRow row(rows, index);
        leased.push_back({lease_of(row), change_of(row, 4)});
    }
    return leased;
}

void count(Ledger& ledger, const ChangeRow& row, JobState state, int change) {
    ChangeTally& tally = ledger.tally_of_changes(row.group, row.collection);
    switch (state) {
        case JobState::queued:
        case JobState::running: tally.queued += change; break;
        case JobState::completed: tally.completed += change; break;
        case JobState::failed: tally.failed += change; break;
        case JobState::cancelled: tally.cancelled += change; break;
        case JobState::paused: tally.paused += change; break;
    }
}

// A time that was not measured is stored as null, so that it takes no byte.
std::optional<std::int64_t> nullable(std::chrono::microseconds spent) {
    return spent.count() == 0 ? std::nullopt : std::optional<std::int64_t>(spent.count());
}

}  // namespace

ChangeRow change_of(const db::PgRow& row, int first) {
    return {.id = row.integer(first),
            .page = row.integer(first + 1),
            .content = row.optional_integer(first + 2),
            .version = row.integer(first + 3),
            .collection = std::string(row.text(first + 4)),
            .group = row.integer(first + 5),
            .state = static_cast<JobState>(row.integer(first + 6)),
            .priority = static_cast<int>(row.integer(first + 7)),
            .attempts = static_cast<int>(row.integer(first + 8)),
            .stalls = static_cast<int>(row.integer(first + 9)),
            .snoozes = static_cast<int>(row.integer(first + 10)),
            .run_at = time_of(row.optional_integer(first + 11)),
            .url = std::string(row.text(first + 12))};
}

void insert_change(Ledger& ledger, const ChangeRow& row) {
    std::optional<std::int64_t> group;
    if (row.group != 0) group = row.group;
    count(ledger, row, JobState::queued, 1);
    ledger.wake();
    ledger.sql().later(insert_change_sql,
                       db::PgValues(row.id, row.page, row.content, row.version, row.collection, group,
                                    row.priority, column_of(ledger.now()), row.url));
}

Result<std::optional<ChangeRow>> find_change(db::PgConnection& sql, std::int64_t id) {
    const db::PgRows rows = TRY(sql.run(find_change_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    return change_of(db::PgRow(rows, 0));
}

Result<std::optional<ChangeRow>> lock_change(db::PgConnection& sql, std::int64_t id) {
    const db::PgRows rows = TRY(sql.run(lock_change_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    return change_of(db::PgRow(rows, 0));
}

Result<bool> is_leased(db::PgConnection& sql, std::int64_t id) {
    return !TRY(sql.run(is_leased_sql, db::PgValues(id))).empty();
}

Result<std::optional<ChangeRow>> supersede_change(Ledger& ledger, std::int64_t id) {
    TRY(ledger.sql().run(lock_ready_sql, db::PgValues(id)));
    const db::PgRows rows = TRY(ledger.sql().run(supersede_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    ChangeRow row = change_of(db::PgRow(rows, 0));
    count(ledger, row, row.state, -1);
    return row;
}

Result<void> renew_change(db::PgConnection& sql, std::int64_t id, std::int64_t content,
                          std::int64_t version) {
    TRY(sql.run(renew_sql, db::PgValues(id, content, version)));
    return {};
}

Result<std::vector<LeasedChange>> take_change_leases(db::PgConnection& sql, const db::PgIntegers& ids,
                                                     const db::PgIntegers& tokens) {
    return leased_of(TRY(sql.run(take_fenced_changes_sql, db::PgValues(ids, tokens))));
}

Result<std::vector<LeasedChange>> take_change_leases_of_worker(db::PgConnection& sql, std::int64_t worker) {
    return leased_of(TRY(sql.run(take_changes_of_worker_sql, db::PgValues(worker))));
}

Result<std::optional<ChangeLeaseRow>> take_change_lease(db::PgConnection& sql, std::int64_t id) {
    const db::PgRows rows = TRY(sql.run(take_one_sql, db::PgValues(id)));
    if (rows.empty()) return std::nullopt;
    return lease_of(db::PgRow(rows, 0));
}

Result<void> end_change(Ledger& ledger, const ChangeRow& row, const ChangeEnd& end) {
    count(ledger, row, row.state, -1);
    count(ledger, row, end.state, 1);
    if (end.error) ledger.tally_of_changes(row.group, row.collection).last_error = std::string(*end.error);
    const Timings none;
    const Timings& timings = end.timings ? *end.timings : none;
    std::optional<std::int64_t> chunks;
    if (timings.chunks != 0) chunks = timings.chunks;
    std::optional<std::string_view> note;
    if (!timings.note.empty()) note = timings.note;
    TRY(ledger.sql().run(
        end_sql,
        db::PgValues(row.id, static_cast<int>(end.state), row.attempts, row.stalls, column_of(ledger.now()),
                     end.token, end.error, nullable(timings.chunk), nullable(timings.embed),
                     nullable(timings.index), chunks, note, nullable(timings.words))));
    const bool is_operation =
        row.content && (end.state == JobState::completed || end.state == JobState::failed);
    if (is_operation) ledger.sql().later(note_operation_sql, db::PgValues(row.id));
    return {};
}

Result<void> requeue_change(Ledger& ledger, const ChangeRow& row, std::optional<std::string_view> error,
                            std::optional<Timestamp> tried_at) {
    if (error) ledger.tally_of_changes(row.group, row.collection).last_error = std::string(*error);
    TRY(ledger.sql().run(requeue_sql, db::PgValues(row.id, row.attempts, row.stalls, row.snoozes,
                                                   column_of(row.run_at), error, column_of(tried_at))));
    return put_change_in_line(ledger, row);
}

Result<bool> hasten_change(Ledger& ledger, ChangeRow row) {
    if (TRY(ledger.sql().run(hasten_sql, db::PgValues(row.id))).affected() == 0) return false;
    row.run_at.reset();
    TRY(put_change_in_line(ledger, row));
    return true;
}

Result<void> put_change_in_line(Ledger& ledger, const ChangeRow& row) {
    ledger.wake();
    if (row.state != JobState::queued || row.run_at) return {};
    TRY(ledger.sql().run(line_sql, db::PgValues(row.id, row.priority, row.collection, row.page)));
    return {};
}

Result<void> set_change_state(Ledger& ledger, ChangeRow row, JobState state) {
    count(ledger, row, row.state, -1);
    count(ledger, row, state, 1);
    TRY(ledger.sql().run(set_state_sql, db::PgValues(row.id, static_cast<int>(state))));
    if (state != JobState::queued) TRY(ledger.sql().run(unline_sql, db::PgValues(row.id)));
    row.state = state;
    return put_change_in_line(ledger, row);
}

Result<void> set_change_priority(Ledger& ledger, ChangeRow row, int priority) {
    TRY(ledger.sql().run(set_priority_sql, db::PgValues(row.id, priority)));
    row.priority = priority;
    return put_change_in_line(ledger, row);
}

Result<bool> restart_change(Ledger& ledger, ChangeRow row) {
    const db::PgValues as_it_was(row.id, static_cast<int>(row.state));
    if (TRY(ledger.sql().run(restart_sql, as_it_was)).affected() == 0) return false;
    count(ledger, row, row.state, -1);
    count(ledger, row, JobState::queued, 1);
    row.state = JobState::queued;
    row.run_at.reset();
    TRY(put_change_in_line(ledger, row));
    return true;
}

Result<void> forget_change(Ledger& ledger, const ChangeRow& row) {
    count(ledger, row, row.state, -1);
    TRY(ledger.sql().run(forget_change_sql, db::PgValues(row.id, given_up)));
    return {};
}

Result<bool> is_outdated(db::PgConnection& sql, const ChangeRow& row) {
    if (!row.content) return false;  // a removed page cannot change again
    return TRY(sql.run(is_outdated_sql, db::PgValues(row.page, row.id))).boolean(0, 0);
}

Result<void> wake_changes(Ledger& ledger) {
    TRY(ledger.sql().run(wake_sql, db::PgValues(column_of(ledger.now()))));
    ledger.wake();
    return {};
}

}  // namespace quarry::store::postgres
