#include "store/sqlite/reading/sqlite_reader_metrics.h"

#include "store/rows/metrics.h"
#include "store/rows/operation_rows.h"
#include "store/rows/session_columns.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

namespace {

constexpr int pages_per_step = 5'000;

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

constexpr const char* select_group_sessions =
    "SELECT grp.id, grp.id, NULL, grp.kind AS operation, grp.name, owner.name,"
    " coalesce(grp.started_at, grp.created_at) AS began, grp.finished_at, " GROUP_SUCCESS
    ", grp.index_pages, " GROUP_SESSION_COUNTS
    ", '', " GROUP_ERROR_OF("frontier") " FROM grp CROSS JOIN owner ON owner.id = grp.owner WHERE true";

// The time that indexing took is known as long as the page's last change is that of these words.
Query pages_with_times(GroupId group, std::int64_t after) {
    Query query(
        "SELECT result.sequence, frontier.url, fetch_us, extract_us, chunk_us, embed_us, index_us, words_us, "
        "chunks,"
        " outbox.note FROM result CROSS JOIN frontier ON frontier.id = result.url"
        " LEFT JOIN page ON page.id = result.page"
        " LEFT JOIN outbox ON outbox.id = page.outbox AND outbox.content = result.content WHERE true");
    query.add(" AND result.grp = ?", group).add(" AND result.sequence > ?", after);
    query.add(" ORDER BY result.sequence LIMIT ?", pages_per_step);
    return query;
}

}  // namespace

Result<std::vector<Session>> read_sessions(db::Connection& connection, const SessionFilter& filter) {
    std::vector<Session> sessions;
    TRY(read_from(connection, Query(select_sessions), filter, sessions));
    TRY(read_from(connection, Query(select_group_sessions), filter, sessions));
    keep_newest(sessions, filter.limit);
    return sessions;
}

Result<std::vector<SessionDay>> read_session_days(db::Connection& connection, int limit) {
    // Crawls whose jobs are in Redis are counted there until they are over (redis_reader.cc).
    Query query("SELECT day, operation, sum(sessions), sum(successes), " SESSION_SUMS(
        "") " FROM (SELECT day, operation, sessions, successes, " SESSION_COUNTS
            " FROM session_day"
            " UNION ALL SELECT started_at / 86400000 * 86400000, operation, 1, success, " SESSION_COUNTS
            " FROM session UNION ALL SELECT created_at / 86400000 * 86400000, kind, 1, " GROUP_SUCCESS
            ", " GROUP_SESSION_COUNTS " FROM grp WHERE zero_retention = 0 AND id < 1 << 40) WHERE true");
    query.add(" GROUP BY 1, 2 ORDER BY day DESC, operation LIMIT ?", limit);
    std::vector<SessionDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) { days.push_back(session_day_of(row)); }));
    return days;
}

Result<std::vector<Operation>> read_operations(db::Connection& connection, const OperationFilter& filter) {
    Query query("SELECT " OPERATION_COLUMNS " FROM operation WHERE true");
    if (filter.since) query.add(" AND at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" AND at < ?", column_of(*filter.before));
    if (!filter.collection.empty()) query.add(" AND collection = ?", filter.collection);
    query.add(" ORDER BY at DESC, id DESC LIMIT ?", filter.limit);
    std::vector<Operation> operations;
    TRY(query.each(connection, [&](const db::Statement& row) { operations.push_back(operation_of(row)); }));
    return operations;
}

Result<std::vector<OperationDay>> read_operation_days(db::Connection& connection, int limit) {
    Query query(
        "SELECT day, collection, sum(pages), sum(failed), sum(chunk_us), sum(embed_us), sum(index_us),"
        " sum(words_us), sum(chunks) FROM (SELECT " OPERATION_DAY_COLUMNS
        " FROM operation_day"
        " UNION ALL SELECT at / 86400000 * 86400000, collection, 1, error IS NOT NULL, chunk_us, embed_us,"
        " index_us, words_us, chunks FROM operation) WHERE true");
    query.add(" GROUP BY 1, 2 ORDER BY day DESC, collection LIMIT ?", limit);
    std::vector<OperationDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) { days.push_back(operation_day_of(row)); }));
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
