#include "store/sqlite/sqlite_reader_metrics.h"

#include <algorithm>

#include "store/sqlite/columns.h"
#include "store/sqlite/session_columns.h"
#include "store/sqlite/sqlite_reader_query.h"

namespace quarry::store {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int pages_per_step = 5'000;

SessionCounts counts_of(const db::Statement& row, int column) {
    return {.total_urls = row.integer(column),
            .completed_urls = row.integer(column + 1),
            .failed_urls = row.integer(column + 2),
            .pages_indexed = row.integer(column + 3),
            .pages_failed = row.integer(column + 4),
            .chunks = row.integer(column + 5),
            .fetch = milliseconds(row.integer(column + 6)),
            .extract = milliseconds(row.integer(column + 7)),
            .chunking = milliseconds(row.integer(column + 8)),
            .embedding = milliseconds(row.integer(column + 9)),
            .index = milliseconds(row.integer(column + 10)),
            .bm25 = milliseconds(row.integer(column + 11)),
            .duration = milliseconds(row.integer(column + 12))};
}

Session session_of(const db::Statement& row) {
    Session session{.id = row.integer(0),
                    .operation = std::string(row.text(3)),
                    .base_url = std::string(row.text(4)),
                    .owner = std::string(row.text(5)),
                    .started_at = time_of(row.integer(6)),
                    .completed_at = time_of(row.optional_integer(7)),
                    .success = row.integer(8) != 0,
                    .auto_index = row.integer(9) != 0,
                    .counts = counts_of(row, 10),
                    .extra = std::string(row.text(23)),
                    .error = std::string(row.text(24))};
    if (const auto group = row.optional_integer(1)) session.group = GroupId{*group};
    if (const auto job = row.optional_integer(2)) session.job = JobId{*job};
    return session;
}

// `began` and `operation` are what the fields of the filter mean in this table.
Result<void> read_from(db::Connection& connection, Query query, const SessionFilter& filter,
                       std::vector<Session>& sessions) {
    if (filter.since) query.add(" AND began >= ?", column_of(*filter.since));
    if (filter.before) query.add(" AND began < ?", column_of(*filter.before));
    if (!filter.operation.empty()) query.add(" AND operation = ?", filter.operation);
    query.add(" ORDER BY began DESC LIMIT ?", filter.limit);
    return query.each(connection, [&](const db::Statement& row) { sessions.push_back(session_of(row)); });
}

constexpr const char* select_sessions =
    "SELECT id, grp, job, operation, base_url, owner, started_at AS began, completed_at, success,"
    " auto_index, " SESSION_COUNTS ", extra, error FROM session WHERE true";

constexpr const char* select_groups =
    "SELECT grp.id, grp.id, NULL, grp.kind AS operation, grp.name, owner.name,"
    " coalesce(grp.started_at, grp.created_at) AS began, grp.finished_at, grp.state = 2, "
    "grp.index_pages, " GROUP_SESSION_COUNTS
    ", '', grp.error FROM grp CROSS JOIN owner ON owner.id = grp.owner WHERE true";

SlowPage slow_page_of(const db::Statement& row) {
    return {.url = std::string(row.text(1)),
            .timings = {.fetch = microseconds(row.integer(2)),
                        .extract = microseconds(row.integer(3)),
                        .chunk = microseconds(row.integer(4)),
                        .embed = microseconds(row.integer(5)),
                        .index = microseconds(row.integer(6)),
                        .chunks = row.integer(7),
                        .note = std::string(row.text(8))}};
}

// The time that indexing took is known as long as the page's last change is that of these words.
Query pages_with_times(GroupId group, std::int64_t after) {
    Query query(
        "SELECT result.sequence, frontier.url, fetch_us, extract_us, chunk_us, embed_us, index_us, chunks,"
        " outbox.note FROM result CROSS JOIN frontier ON frontier.id = result.url"
        " LEFT JOIN page ON page.id = result.page"
        " LEFT JOIN outbox ON outbox.id = page.outbox AND outbox.content = result.content WHERE true");
    query.add(" AND result.grp = ?", group).add(" AND result.sequence > ?", after);
    query.add(" ORDER BY result.sequence LIMIT ?", pages_per_step);
    return query;
}

void keep_slowest(std::vector<SlowPage>& pages, int limit) {
    std::ranges::stable_sort(pages, std::greater{},
                             [](const SlowPage& page) { return page.timings.total(); });
    if (std::ssize(pages) > limit) pages.resize(static_cast<std::size_t>(std::max(limit, 0)));
}

}  // namespace

Result<std::vector<Session>> read_sessions(db::Connection& connection, const SessionFilter& filter) {
    std::vector<Session> sessions;
    TRY(read_from(connection, Query(select_sessions), filter, sessions));
    TRY(read_from(connection, Query(select_groups), filter, sessions));
    std::ranges::stable_sort(sessions, std::greater{}, &Session::started_at);
    if (std::ssize(sessions) > filter.limit) sessions.resize(static_cast<std::size_t>(filter.limit));
    return sessions;
}

Result<std::vector<SessionDay>> read_session_days(db::Connection& connection, int limit) {
    Query query("SELECT day, operation, sessions, successes, " SESSION_COUNTS " FROM session_day WHERE true");
    query.add(" ORDER BY day DESC, operation LIMIT ?", limit);
    std::vector<SessionDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) {
        days.push_back({.day = time_of(row.integer(0)),
                        .operation = std::string(row.text(1)),
                        .sessions = row.integer(2),
                        .successes = row.integer(3),
                        .counts = counts_of(row, 4)});
    }));
    return days;
}

Result<std::vector<SlowPage>> read_slowest_pages(db::Connection& connection, GroupId group, int limit) {
    std::vector<SlowPage> slowest;
    std::int64_t last = 0;
    for (int rows = pages_per_step; rows == pages_per_step;) {
        rows = 0;
        TRY(pages_with_times(group, last).each(connection, [&](const db::Statement& row) {
            ++rows;
            last = row.integer(0);
            slowest.push_back(slow_page_of(row));
        }));
        keep_slowest(slowest, limit);
    }
    return slowest;
}

}  // namespace quarry::store
