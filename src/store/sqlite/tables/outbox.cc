#include "store/sqlite/tables/outbox.h"

#include <array>

#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store {

namespace {

// The columns that change_row_of() reads, in its order.
#define CHANGE_COLUMNS \
    "id, page, content, version, collection, grp, state, priority, attempts, stalls, snoozes, run_at, url"

ChangeRow change_row_of(const db::Statement& row) {
    ChangeRow change{.id = row.integer(0),
                     .page = PageId{row.integer(1)},
                     .version = row.integer(3),
                     .collection = std::string(row.text(4)),
                     .group = row.integer(5),
                     .state = static_cast<JobState>(row.integer(6)),
                     .priority = static_cast<int>(row.integer(7)),
                     .attempts = static_cast<int>(row.integer(8)),
                     .stalls = static_cast<int>(row.integer(9)),
                     .snoozes = static_cast<int>(row.integer(10)),
                     .run_at = time_of(row.optional_integer(11)),
                     .url = std::string(row.text(12))};
    if (const auto content = row.optional_integer(2)) change.content = ContentId{*content};
    return change;
}

// The first row, if there is one.
Result<std::optional<ChangeRow>> first_row(db::Statement& statement) {
    std::optional<ChangeRow> row;
    if (TRY(statement.step())) row = change_row_of(statement);
    statement.reset();
    return row;
}

Result<std::optional<std::int64_t>> first_number(db::Statement& statement) {
    std::optional<std::int64_t> value;
    if (TRY(statement.step())) value = statement.optional_integer(0);
    statement.reset();
    return value;
}

// A time that was not measured is left out, so that it costs no byte.
std::optional<std::int64_t> spent_column(std::chrono::microseconds spent) {
    return spent.count() == 0 ? std::nullopt : std::optional<std::int64_t>(spent.count());
}

}  // namespace

Result<OutboxRows> OutboxRows::create(db::Connection& connection) {
    Statements sql;
    const std::array<std::pair<db::Statement*, std::string_view>, 21> all = {{
        {&sql.insert, R"sql(
            INSERT INTO outbox(id, page, content, version, collection, grp, state, priority, attempts, created_at,
                               url)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, 0, ?8, ?9))sql"},
        {&sql.find, "SELECT " CHANGE_COLUMNS " FROM outbox WHERE id = ?1"},
        // An indexer may be at work on the row: then it stays until that has ended.
        {&sql.supersede, R"sql(
            DELETE FROM outbox WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.id = ?1)
            RETURNING )sql" CHANGE_COLUMNS},
        {&sql.renew, "UPDATE outbox SET content = ?2, version = ?3 WHERE id = ?1 AND state <> 2"},
        {&sql.end, R"sql(
            UPDATE outbox SET state = ?2, attempts = ?3, stalls = ?4, finished_at = ?5, token = ?6,
                              last_error = coalesce(?7, last_error), chunk_us = ?8, embed_us = ?9, index_us = ?10,
                              chunks = ?11, note = ?12, words_us = ?13, run_at = NULL
            WHERE id = ?1)sql"},
        {&sql.note_operation, R"sql(
            INSERT INTO operation(at, job, job_created_at, grp, grp_created_at, collection, url, request_id, error,
                                  chunk_us, embed_us, index_us, words_us, chunks, note)
            SELECT outbox.finished_at, outbox.id, outbox.created_at, grp.id, grp.created_at, outbox.collection,
                   outbox.url, coalesce(grp.request_id, ''), iif(outbox.state = 3, coalesce(last_error, ''), NULL),
                   coalesce(outbox.chunk_us, 0), coalesce(outbox.embed_us, 0), coalesce(outbox.index_us, 0),
                   coalesce(outbox.words_us, 0), coalesce(outbox.chunks, 0), coalesce(note, '')
            FROM outbox LEFT JOIN grp ON grp.id = outbox.grp WHERE outbox.id = ?1)sql"},
        {&sql.requeue, R"sql(
            UPDATE outbox SET attempts = ?2, stalls = ?3, snoozes = ?4, run_at = ?5,
                              last_error = coalesce(?6, last_error), finished_at = coalesce(?7, finished_at)
            WHERE id = ?1)sql"},
        {&sql.set_state, "UPDATE outbox SET state = ?2 WHERE id = ?1"},
        {&sql.set_priority, "UPDATE outbox SET priority = ?2 WHERE id = ?1"},
        {&sql.restart, R"sql(
            UPDATE outbox SET state = 0, attempts = 0, stalls = 0, snoozes = 0, run_at = NULL, finished_at = NULL,
                              token = NULL
            WHERE id = ?1)sql"},
        {&sql.forget, "DELETE FROM outbox WHERE id = ?1"},
        {&sql.give_up, "UPDATE page SET outbox = ?3 WHERE id = ?1 AND outbox = ?2"},
        {&sql.is_outdated, "SELECT NOT EXISTS (SELECT 1 FROM page WHERE id = ?1 AND outbox = ?2)"},
        {&sql.ended_by, "SELECT token FROM outbox WHERE id = ?1"},
        {&sql.ready_after, R"sql(
            SELECT priority, id FROM outbox INDEXED BY outbox_ready
            WHERE collection = ?1 AND state = 0 AND run_at IS NULL AND (priority, id) > (?2, ?3)
            ORDER BY priority, id LIMIT ?4)sql"},
        {&sql.due, "SELECT " CHANGE_COLUMNS R"sql( FROM outbox INDEXED BY outbox_delayed
            WHERE state = 0 AND run_at IS NOT NULL AND run_at <= ?1 ORDER BY run_at LIMIT ?2)sql"},
        {&sql.next_due, R"sql(
            SELECT run_at FROM outbox INDEXED BY outbox_delayed
            WHERE state = 0 AND run_at IS NOT NULL ORDER BY run_at LIMIT 1)sql"},
        {&sql.ended_before, R"sql(
            SELECT id FROM outbox INDEXED BY outbox_ended
            WHERE state IN (2, 4) AND finished_at <= ?1 ORDER BY finished_at LIMIT ?2)sql"},
        {&sql.counts,
         "SELECT grp, collection, queued, completed, failed, cancelled, paused, last_error FROM "
         "outbox_count"},
        {&sql.save_count, "INSERT OR REPLACE INTO outbox_count VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
        {&sql.forget_count, "DELETE FROM outbox_count WHERE grp = ?1 AND collection = ?2"},
    }};
    for (const auto& [statement, text] : all) *statement = TRY(connection.prepare(text));
    OutboxRows rows(std::move(sql));
    TRY(rows.reload());
    return rows;
}

Result<void> OutboxRows::insert(const ChangeRow& row, Timestamp now) {
    std::optional<std::int64_t> content, group;
    if (row.content) content = number(*row.content);
    if (row.group != 0) group = row.group;
    count(row, JobState::queued, 1);
    return sql_.insert
        .bind(row.id, number(row.page), content, row.version, row.collection, group, row.priority,
              column_of(now), row.url)
        .run();
}

Result<std::optional<ChangeRow>> OutboxRows::find(std::int64_t id) {
    return first_row(sql_.find.bind(id));
}

Result<std::optional<ChangeRow>> OutboxRows::supersede(std::int64_t id) {
    std::optional<ChangeRow> row = TRY(first_row(sql_.supersede.bind(id)));
    if (row) count(*row, row->state, -1);
    return row;
}

Result<void> OutboxRows::renew(std::int64_t id, ContentId content, std::int64_t version) {
    return sql_.renew.bind(id, number(content), version).run();
}

Result<void> OutboxRows::end(const ChangeRow& row, const ChangeEnd& end) {
    count(row, row.state, -1);
    count(row, end.state, 1);
    if (end.error) note_error(row, *end.error);
    const Timings none;
    const Timings& timings = end.timings ? *end.timings : none;
    std::optional<std::int64_t> token, chunks;
    if (end.token) token = number(*end.token);
    if (timings.chunks != 0) chunks = timings.chunks;
    std::optional<std::string_view> note;
    if (!timings.note.empty()) note = timings.note;
    TRY(sql_.end
            .bind(row.id, static_cast<int>(end.state), row.attempts, row.stalls, column_of(end.finished_at),
                  token, end.error, spent_column(timings.chunk), spent_column(timings.embed),
                  spent_column(timings.index), chunks, note, spent_column(timings.words))
            .run());
    const bool is_operation =
        row.content && (end.state == JobState::completed || end.state == JobState::failed);
    return is_operation ? sql_.note_operation.bind(row.id).run() : Result<void>{};
}

Result<void> OutboxRows::requeue(const ChangeRow& row, std::optional<std::string_view> error,
                                 std::optional<Timestamp> tried_at) {
    if (error) note_error(row, *error);
    return sql_.requeue
        .bind(row.id, row.attempts, row.stalls, row.snoozes, column_of(row.run_at), error,
              column_of(tried_at))
        .run();
}

Result<void> OutboxRows::set_state(const ChangeRow& row, JobState state) {
    count(row, row.state, -1);
    count(row, state, 1);
    return sql_.set_state.bind(row.id, static_cast<int>(state)).run();
}

Result<void> OutboxRows::set_priority(std::int64_t id, int priority) {
    return sql_.set_priority.bind(id, priority).run();
}

Result<void> OutboxRows::restart(const ChangeRow& row) {
    count(row, row.state, -1);
    count(row, JobState::queued, 1);
    return sql_.restart.bind(row.id).run();
}

Result<void> OutboxRows::forget(const ChangeRow& row) {
    count(row, row.state, -1);
    if (row.state != JobState::completed && row.content)
        TRY(sql_.give_up.bind(number(row.page), row.id, given_up).run());
    return sql_.forget.bind(row.id).run();
}

Result<bool> OutboxRows::is_outdated(const ChangeRow& row) {
    if (!row.content) return false;  // a page that was removed does not change any more
    return TRY(first_number(sql_.is_outdated.bind(number(row.page), row.id))) == 1;
}

Result<std::optional<std::int64_t>> OutboxRows::ended_by(std::int64_t id) {
    return first_number(sql_.ended_by.bind(id));
}

Result<std::vector<UrlPlace>> OutboxRows::ready_after(const std::string& collection, const UrlPlace& after,
                                                      std::size_t limit) {
    std::vector<UrlPlace> places;
    auto& rows =
        sql_.ready_after.bind(collection, after.priority, after.id, static_cast<std::int64_t>(limit));
    while (TRY(rows.step())) places.push_back({static_cast<int>(rows.integer(0)), rows.integer(1)});
    rows.reset();
    return places;
}

Result<std::vector<ChangeRow>> OutboxRows::due(Timestamp now, int limit) {
    std::vector<ChangeRow> due;
    auto& rows = sql_.due.bind(column_of(now), limit);
    while (TRY(rows.step())) due.push_back(change_row_of(rows));
    rows.reset();
    return due;
}

Result<std::optional<Timestamp>> OutboxRows::next_due() {
    return time_of(TRY(first_number(sql_.next_due.bind())));
}

Result<std::vector<std::int64_t>> OutboxRows::ended_before(Timestamp when, int limit) {
    std::vector<std::int64_t> ids;
    auto& rows = sql_.ended_before.bind(column_of(when), limit);
    while (TRY(rows.step())) ids.push_back(rows.integer(0));
    rows.reset();
    return ids;
}

std::set<std::string> OutboxRows::collections() const {
    std::set<std::string> names;
    for (const auto& [key, count] : counts_) {
        if (count.queued > 0) names.insert(key.second);
    }
    return names;
}

OutboxRows::Count& OutboxRows::count_of(const ChangeRow& row) {
    const auto found = counts_.try_emplace({row.group, row.collection}).first;
    if (!std::exchange(found->second.is_dirty, true)) dirty_.push_back(found->first);
    return found->second;
}

void OutboxRows::count(const ChangeRow& row, JobState state, int change) {
    Count& count = count_of(row);
    switch (state) {
        case JobState::queued:
        case JobState::running: count.queued += change; break;
        case JobState::completed: count.completed += change; break;
        case JobState::failed: count.failed += change; break;
        case JobState::cancelled: count.cancelled += change; break;
        case JobState::paused: count.paused += change; break;
    }
    // What went wrong last is of interest as long as something waits or has failed.
    if (count.queued == 0 && count.failed == 0) count.last_error.clear();
}

void OutboxRows::note_error(const ChangeRow& row, std::string_view error) {
    count_of(row).last_error = error;
}

Result<void> OutboxRows::save_counts() {
    for (const CountKey& key : dirty_) {
        Count& count = counts_.at(key);
        count.is_dirty = false;
        const bool is_empty =
            count.queued + count.completed + count.failed + count.cancelled + count.paused == 0;
        if (is_empty) {
            TRY(sql_.forget_count.bind(key.first, key.second).run());
            counts_.erase(key);
            continue;
        }
        TRY(sql_.save_count
                .bind(key.first, key.second, count.queued, count.completed, count.failed, count.cancelled,
                      count.paused, count.last_error)
                .run());
    }
    dirty_.clear();
    return {};
}

Result<void> OutboxRows::reload() {
    counts_.clear();
    dirty_.clear();
    auto& rows = sql_.counts.bind();
    while (TRY(rows.step())) {
        counts_[{rows.integer(0), std::string(rows.text(1))}] = {.queued = rows.integer(2),
                                                                 .completed = rows.integer(3),
                                                                 .failed = rows.integer(4),
                                                                 .cancelled = rows.integer(5),
                                                                 .paused = rows.integer(6),
                                                                 .last_error = std::string(rows.text(7))};
    }
    rows.reset();
    return {};
}

namespace {

// A service that was away may have left a million changes with the same time: nobody waits for all of them.
constexpr int woken_at_once = 512;

}  // namespace

Outbox::Outbox(OutboxRows rows_)
    : rows(std::move(rows_)), queue([this](const std::string& collection, UrlWindow& window) -> Result<void> {
          const auto places = TRY(rows.ready_after(collection, window.end(), UrlWindow::wanted));
          std::optional<UrlPlace> end;
          if (places.size() == UrlWindow::wanted) end = places.back();
          window.refill(places, end);
          return {};
      }) {}

Result<std::unique_ptr<Outbox>> Outbox::create(db::Connection& connection) {
    OutboxRows rows = TRY(OutboxRows::create(connection));
    return std::unique_ptr<Outbox>(new Outbox(std::move(rows)));
}

Result<void> Outbox::add(const ChangeRow& row, Timestamp now) {
    TRY(rows.insert(row, now));
    put_in_line(row);
    return {};
}

void Outbox::put_in_line(const ChangeRow& row) {
    if (row.run_at) {
        queue.delay_until(*row.run_at);
    } else {
        queue.add(row.collection, {row.priority, row.id});
    }
}

Result<void> Outbox::wake(Timestamp now) {
    if (!queue.next_due() || *queue.next_due() > now) return {};
    for (ChangeRow& row : TRY(rows.due(now, woken_at_once))) {
        row.run_at.reset();
        TRY(rows.requeue(row, std::nullopt));
        put_in_line(row);
    }
    queue.set_next_due(TRY(rows.next_due()));
    return {};
}

Result<void> Outbox::load() {
    queue.clear();
    TRY(rows.reload());
    for (const std::string& collection : rows.collections()) queue.add_unread(collection);
    queue.set_next_due(TRY(rows.next_due()));
    return {};
}

}  // namespace quarry::store
