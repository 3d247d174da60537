#include "store/rows/metrics.h"

#include <map>

#include "store/postgres/reading/query.h"
#include "store/postgres/reading/reading.h"

namespace quarry::store::postgres {

namespace {

constexpr int pages_per_step = 5'000;

// When an operation began, in each of the tables that know of operations.
struct SessionSource {
    const char* select;
    std::string_view began, operation;
};

constexpr SessionSource operations = {
    .select =
        "select id, grp, job, operation, base_url, owner, started_at, completed_at, success,"
        " auto_index, " SESSION_COUNTS ", extra, error from quarry.session where true",
    .began = "started_at",
    .operation = "operation",
};

constexpr SessionSource crawls = {
    .select =
        "select grp.id, grp.id, null::bigint, grp.kind, grp.name, owner.name,"
        " coalesce(grp.started_at, grp.created_at), grp.finished_at, " GROUP_SUCCESS
        ", grp.index_pages,"
        " grp.discovered, grp.completed, grp.failed, grp.indexed,"
        " (select coalesce(sum(changes.failed), 0)::bigint from quarry.outbox_count as changes"
        " where changes.grp = grp.id),"
        " grp.chunks, grp.fetch_us / 1000, grp.extract_us / 1000, grp.chunk_us / 1000, grp.embed_us / 1000,"
        " grp.index_us / 1000, grp.words_us / 1000, coalesce(grp.finished_at - grp.started_at, 0), "
        "'', " GROUP_ERROR_OF(
            "quarry.frontier") " from quarry.grp join quarry.owner on owner.id = grp.owner where true",
    .began = "coalesce(grp.started_at, grp.created_at)",
    .operation = "grp.kind",
};

Result<void> read_from(db::PgConnection& connection, const SessionSource& source, const SessionFilter& filter,
                       std::vector<Session>& sessions) {
    Query query(source.select);
    const std::string began(source.began), operation(source.operation);
    if (filter.since) query.add(" and " + began + " >= ?", column_of(*filter.since));
    if (filter.before) query.add(" and " + began + " < ?", column_of(*filter.before));
    if (!filter.operation.empty()) query.add(" and " + operation + " = ?", filter.operation);
    query.add(" order by " + began + " desc limit ?", filter.limit);
    return query.each(connection, [&](const db::PgRow& row) { sessions.push_back(session_of(row)); });
}

// The time that indexing took is known as long as the page's last change is that of these words.
Query pages_with_times(GroupId group, std::int64_t after) {
    Query query(R"sql(
        select result.sequence, frontier.url, fetch_us, extract_us, chunk_us, embed_us, index_us, words_us, chunks, outbox.note
        from quarry.result join quarry.frontier on frontier.id = result.url
             left join quarry.page on page.id = result.page
             left join quarry.outbox on outbox.id = page.outbox and outbox.content = result.content
        where true)sql");
    query.add(" and result.grp = ?", group).add(" and result.sequence > ?", after);
    query.add(" order by result.sequence limit ?", pages_per_step);
    return query;
}

struct Narrowed {
    const std::string& collection;
    std::optional<GroupId> group;

    Query operator()(Query query) const {
        if (!collection.empty()) query.add(" and collection = ?", collection);
        if (group) query.add(" and grp = ?", *group);
        return query;
    }
};

// What was said of all, or of the one that is named.
Result<std::map<std::string, Collection>> read_rows(db::PgConnection& connection, const std::string& name) {
    Query rows(
        "select name, provider, model, dimensions, version, created_at from quarry.collection where true");
    if (!name.empty()) rows.add(" and name = ?", name);
    std::map<std::string, Collection> collections;
    TRY(rows.each(connection,
                  [&](const db::PgRow& row) { collections[std::string(row.text(0))] = collection_of(row); }));
    return collections;
}

Result<std::map<std::string, Collection>> read(db::PgConnection& connection, const std::string& name) {
    std::map<std::string, Collection> collections = TRY(read_rows(connection, name));
    // Names that begin with # belong to crawls without retention.
    Query pages("select collection, count(*) from quarry.page where collection not like '#%'");
    if (!name.empty()) pages.add(" and collection = ?", name);
    pages.add(" group by collection");
    TRY(pages.each(connection, [&](const db::PgRow& row) {
        Collection& collection = collections[std::string(row.text(0))];
        collection.name = row.text(0);
        collection.pages = row.integer(1);
    }));
    return collections;
}

}  // namespace

Result<std::vector<Session>> read_sessions(db::PgConnection& connection, const SessionFilter& filter) {
    std::vector<Session> sessions;
    TRY(read_from(connection, operations, filter, sessions));
    TRY(read_from(connection, crawls, filter, sessions));
    keep_newest(sessions, filter.limit);
    return sessions;
}

Result<std::vector<SessionDay>> read_session_days(db::PgConnection& connection, int limit) {
    // Crawls whose jobs are in Redis are counted there until they are over (redis_reader.cc).
    Query query("select day, operation, sum(sessions)::bigint, sum(successes)::bigint, " SESSION_SUMS(
        "::bigint") " from (select day, operation, sessions, successes, " SESSION_COUNTS
                    " from quarry.session_day"
                    " union all select started_at / 86400000 * 86400000, operation, 1, "
                    "success::int, " SESSION_COUNTS
                    " from quarry.session union all select created_at / 86400000 * 86400000, kind, "
                    "1, " GROUP_SUCCESS
                    "::int, grp.discovered, grp.completed, grp.failed, grp.indexed,"
                    " (select coalesce(sum(changes.failed), 0)::bigint from quarry.outbox_count as changes"
                    " where changes.grp = grp.id), grp.chunks, grp.fetch_us / 1000, grp.extract_us / 1000,"
                    " grp.chunk_us / 1000, grp.embed_us / 1000, grp.index_us / 1000, grp.words_us / 1000,"
                    " coalesce(grp.finished_at - grp.started_at, 0)"
                    " from quarry.grp where not zero_retention and id < 1::bigint << 40) as all_of_them "
                    "where true");
    query.add(" group by 1, 2 order by day desc, operation collate \"C\" limit ?", limit);
    std::vector<SessionDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) { days.push_back(session_day_of(row)); }));
    return days;
}

Result<std::vector<Operation>> read_operations(db::PgConnection& connection, const OperationFilter& filter) {
    Query query("select " OPERATION_COLUMNS " from quarry.operation where true");
    if (filter.since) query.add(" and at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" and at < ?", column_of(*filter.before));
    if (!filter.collection.empty()) query.add(" and collection = ?", filter.collection);
    query.add(" order by at desc, id desc limit ?", filter.limit);
    std::vector<Operation> operations;
    TRY(query.each(connection, [&](const db::PgRow& row) { operations.push_back(operation_of(row)); }));
    return operations;
}

Result<std::vector<OperationDay>> read_operation_days(db::PgConnection& connection, int limit) {
    Query query(
        "select day, collection, sum(pages)::bigint, sum(failed)::bigint, sum(chunk_us)::bigint,"
        " sum(embed_us)::bigint, sum(index_us)::bigint, sum(words_us)::bigint, sum(chunks)::bigint"
        " from (select " OPERATION_DAY_COLUMNS
        " from quarry.operation_day"
        " union all select at / 86400000 * 86400000, collection, 1, (error is not null)::int, chunk_us, "
        "embed_us,"
        " index_us, words_us, chunks from quarry.operation) as all_of_them where true");
    query.add(" group by 1, 2 order by day desc, collection collate \"C\" limit ?", limit);
    std::vector<OperationDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) { days.push_back(operation_day_of(row)); }));
    return days;
}

Result<std::vector<SlowPage>> read_slowest_pages(db::PgConnection& connection, GroupId group, int limit) {
    std::vector<SlowPage> slowest;
    std::int64_t last = 0;
    for (int rows = pages_per_step; rows == pages_per_step;) {
        rows = 0;
        TRY(pages_with_times(group, last).each(connection, [&](const db::PgRow& row) {
            ++rows;
            last = row.integer(0);
            slowest.push_back(slow_page_of(row));
        }));
        keep_slowest(slowest, limit);
    }
    return slowest;
}

// No statement here reads more rows than there are crawls, leases, or changes that wait for their time.
Result<OutboxCounts> read_outbox_counts(db::PgConnection& connection, const std::string& collection,
                                        std::optional<GroupId> group) {
    const Narrowed narrowed{collection, group};
    OutboxCounts counts;
    const Query sums =
        narrowed(Query("select queued, completed, failed, last_error from quarry.outbox_count where true"));
    TRY(sums.each(connection, [&](const db::PgRow& row) {
        counts.pending += row.integer(0);
        counts.completed += row.integer(1);
        counts.failed += row.integer(2);
        if (!row.text(3).empty()) counts.last_error = row.text(3);
    }));
    const Query leased = narrowed(
        Query("select count(*) from quarry.change_lease join quarry.outbox on outbox.id = change_lease.id"
              " where outbox.state = 0"));
    TRY(leased.each(connection, [&](const db::PgRow& row) { counts.processing = row.integer(0); }));
    counts.pending -= counts.processing;
    if (counts.pending == 0) return counts;
    Query delayed =
        narrowed(Query("select run_at from quarry.outbox where state = 0 and run_at is not null"));
    delayed.add(" order by run_at limit 1");
    TRY(delayed.each(connection, [&](const db::PgRow& row) { counts.next_due = time_of(row.integer(0)); }));
    return counts;
}

Result<std::vector<Collection>> read_collections(db::PgConnection& connection) {
    std::vector<Collection> collections;
    for (auto& [name, collection] : TRY(read(connection, ""))) collections.push_back(std::move(collection));
    return collections;
}

Result<std::optional<Collection>> read_collection(db::PgConnection& connection, const std::string& name) {
    if (name.empty()) return std::nullopt;
    auto collections = TRY(read(connection, name));
    if (collections.empty()) return std::nullopt;
    return std::move(collections.begin()->second);
}

Result<EmbedderFacts> read_embedder(db::PgConnection& connection, const std::string& collection) {
    auto collections = TRY(read_rows(connection, collection));
    return collections.empty() ? EmbedderFacts{} : std::move(collections.begin()->second.embedder);
}

Result<std::vector<ApiKey>> read_keys(db::PgConnection& connection) {
    std::vector<ApiKey> keys;
    TRY(Query("select " KEY_COLUMNS " from quarry.api_key order by id")
            .each(connection, [&](const db::PgRow& row) { keys.push_back(api_key_of(row)); }));
    return keys;
}

Result<std::optional<OwnerLimits>> read_limits(db::PgConnection& connection, const std::string& owner) {
    Query query("select " LIMIT_COLUMNS " from quarry.owner where running_jobs is not null");
    query.add(" and name = ?", owner);
    std::optional<OwnerLimits> limits;
    TRY(query.each(connection, [&](const db::PgRow& row) { limits = limits_of(row); }));
    return limits;
}

Result<std::vector<UsageDay>> read_usage(db::PgConnection& connection, const std::string& owner,
                                         Timestamp since) {
    Query query("select day, pages from quarry.usage where true");
    query.add(" and owner = (select id from quarry.owner where name = ?)", owner);
    query.add(" and day >= ?", column_of(since)).add(" order by day limit ?", 10'000);
    std::vector<UsageDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) {
        days.push_back({.day = time_of(row.integer(0)), .pages = row.integer(1)});
    }));
    return days;
}

Result<std::vector<RequestRecord>> read_requests(db::PgConnection& connection, const RequestFilter& filter) {
    Query query("select " REQUEST_COLUMNS " from quarry.request where true");
    if (filter.since) query.add(" and at >= ?", column_of(*filter.since));
    if (filter.before) query.add(" and at < ?", column_of(*filter.before));
    if (!filter.owner.empty()) query.add(" and owner = ?", filter.owner);
    if (filter.least_status > 0) query.add(" and status >= ?", filter.least_status);
    query.add(" order by at desc, id desc limit ?", filter.limit);
    std::vector<RequestRecord> requests;
    TRY(query.each(connection, [&](const db::PgRow& row) { requests.push_back(request_of(row)); }));
    return requests;
}

Result<std::vector<RequestDay>> read_request_days(db::PgConnection& connection, int limit) {
    Query query("select day, route, status, requests, took_us from quarry.request_day");
    query.add(" order by day desc, route collate \"C\", status limit ?", limit);
    std::vector<RequestDay> days;
    TRY(query.each(connection, [&](const db::PgRow& row) { days.push_back(request_day_of(row)); }));
    return days;
}

}  // namespace quarry::store::postgres
