#include "store/rows/metrics.h"

#include <map>

#include "store/rows/columns.h"
#include "store/sqlite/reading/query.h"
#include "store/sqlite/reading/reading.h"

namespace quarry::store {

namespace {

struct Narrowed {
    const std::string& collection;
    std::optional<GroupId> group;

    Query operator()(Query query) const {
        if (!collection.empty()) query.add(" AND collection = ?", collection);
        if (group) query.add(" AND grp = ?", *group);
        return query;
    }
};

}  // namespace

// No statement here reads more rows than there are crawls, leases, or changes that wait for their time.
Result<OutboxCounts> read_outbox_counts(db::Connection& connection, const std::string& collection,
                                        std::optional<GroupId> group) {
    const Narrowed narrowed{collection, group};
    OutboxCounts counts;
    Query sums = narrowed(Query("SELECT queued, completed, failed, last_error FROM outbox_count WHERE true"));
    TRY(sums.each(connection, [&](const db::Statement& row) {
        counts.pending += row.integer(0);
        counts.completed += row.integer(1);
        counts.failed += row.integer(2);
        if (!row.text(3).empty()) counts.last_error = row.text(3);
    }));
    Query leased = narrowed(
        Query("SELECT count(*) FROM lease CROSS JOIN outbox ON outbox.id = lease.id WHERE outbox.state = 0"));
    TRY(leased.each(connection, [&](const db::Statement& row) { counts.processing = row.integer(0); }));
    counts.pending -= counts.processing;
    if (counts.pending == 0) return counts;
    Query delayed = narrowed(
        Query("SELECT run_at FROM outbox INDEXED BY outbox_delayed WHERE state = 0 AND run_at IS NOT NULL"));
    delayed.add(" ORDER BY run_at LIMIT 1");
    TRY(delayed.each(connection,
                     [&](const db::Statement& row) { counts.next_due = time_of(row.integer(0)); }));
    return counts;
}

namespace {

// What was said of all, or of the one that is named.
Result<std::map<std::string, Collection>> read_rows(db::Connection& connection, const std::string& name) {
    Query rows("SELECT name, provider, model, dimensions, version, created_at FROM collection WHERE true");
    if (!name.empty()) rows.add(" AND name = ?", name);
    std::map<std::string, Collection> collections;
    TRY(rows.each(connection, [&](const db::Statement& row) {
        collections[std::string(row.text(0))] = collection_of(row);
    }));
    return collections;
}

Result<std::map<std::string, Collection>> read(db::Connection& connection, const std::string& name) {
    std::map<std::string, Collection> collections = TRY(read_rows(connection, name));
    // Names that begin with # belong to crawls without retention.
    Query pages("SELECT collection, count(*) FROM page INDEXED BY page_key WHERE collection NOT GLOB '#*'");
    if (!name.empty()) pages.add(" AND collection = ?", name);
    pages.add(" GROUP BY collection");
    TRY(pages.each(connection, [&](const db::Statement& row) {
        Collection& collection = collections[std::string(row.text(0))];
        collection.name = row.text(0);
        collection.pages = row.integer(1);
    }));
    return collections;
}

}  // namespace

Result<std::vector<Collection>> read_collections(db::Connection& connection) {
    std::vector<Collection> collections;
    for (auto& [name, collection] : TRY(read(connection, ""))) collections.push_back(std::move(collection));
    return collections;
}

Result<std::optional<Collection>> read_collection(db::Connection& connection, const std::string& name) {
    if (name.empty()) return std::nullopt;
    auto collections = TRY(read(connection, name));
    if (collections.empty()) return std::nullopt;
    return std::move(collections.begin()->second);
}

Result<EmbedderFacts> read_embedder(db::Connection& connection, const std::string& collection) {
    auto collections = TRY(read_rows(connection, collection));
    return collections.empty() ? EmbedderFacts{} : std::move(collections.begin()->second.embedder);
}

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

Result<std::vector<ApiKey>> read_keys(db::Connection& connection) {
    std::vector<ApiKey> keys;
    TRY(Query("SELECT " KEY_COLUMNS " FROM api_key ORDER BY id")
            .each(connection, [&](const db::Statement& row) { keys.push_back(api_key_of(row)); }));
    return keys;
}

Result<std::optional<OwnerLimits>> read_limits(db::Connection& connection, const std::string& owner) {
    Query query("SELECT " LIMIT_COLUMNS " FROM owner WHERE running_jobs IS NOT NULL");
    query.add(" AND name = ?", owner);
    std::optional<OwnerLimits> limits;
    TRY(query.each(connection, [&](const db::Statement& row) { limits = limits_of(row); }));
    return limits;
}

Result<std::vector<UsageDay>> read_usage(db::Connection& connection, const std::string& owner,
                                         Timestamp since) {
    Query query("SELECT day, pages FROM usage JOIN owner ON owner.id = usage.owner WHERE true");
    query.add(" AND owner.name = ?", owner).add(" AND day >= ?", column_of(since));
    query.add(" ORDER BY day LIMIT ?", 10'000);
    std::vector<UsageDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) {
        days.push_back({.day = time_of(row.integer(0)), .pages = row.integer(1)});
    }));
    return days;
}

Result<std::vector<RequestRecord>> read_requests(db::Connection& connection, const RequestFilter& filter) {
    Query query("SELECT " REQUEST_COLUMNS " FROM request WHERE true");
    if (filter.since) query.add(" AND at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" AND at < ?", column_of(*filter.before));
    if (!filter.owner.empty()) query.add(" AND owner = ?", filter.owner);
    if (filter.least_status > 0) query.add(" AND status >= ?", filter.least_status);
    query.add(" ORDER BY at DESC, id DESC LIMIT ?", filter.limit);
    std::vector<RequestRecord> requests;
    TRY(query.each(connection, [&](const db::Statement& row) { requests.push_back(request_of(row)); }));
    return requests;
}

Result<std::vector<RequestDay>> read_request_days(db::Connection& connection, int limit) {
    Query query("SELECT day, route, status, requests, took_us FROM request_day WHERE true");
    query.add(" ORDER BY day DESC, route, status LIMIT ?", limit);
    std::vector<RequestDay> days;
    TRY(query.each(connection, [&](const db::Statement& row) { days.push_back(request_day_of(row)); }));
    return days;
}

}  // namespace quarry::store
