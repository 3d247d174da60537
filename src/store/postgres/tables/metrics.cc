#include "store/postgres/tables/metrics.h"

#include <fmt/format.h>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

#define SESSION_COUNTS                                                                                     \
    "total_urls, completed_urls, failed_urls, pages_indexed, pages_failed, chunks, fetch_ms, extract_ms, " \
    "chunking_ms, embedding_ms, index_ms, bm25_ms, duration_ms"

constexpr db::PgStatement add_session_sql{
    "add_session",
    "insert into quarry.session(id, grp, job, operation, base_url, owner, started_at, completed_at, success,"
    " auto_index, " SESSION_COUNTS
    ", extra, error) values (nextval('quarry.id'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, "
    "$14, "
    "$15, $16, $17, $18, $19, $20, $21, $22, $23, $24)"};

// Days begin at midnight, UTC: 86,400,000 milliseconds each.
#define ADD_TO_DAY                                                                                       \
    " on conflict(day, operation) do update set sessions = d.sessions + excluded.sessions,"              \
    " successes = d.successes + excluded.successes, total_urls = d.total_urls + excluded.total_urls,"    \
    " completed_urls = d.completed_urls + excluded.completed_urls,"                                      \
    " failed_urls = d.failed_urls + excluded.failed_urls,"                                               \
    " pages_indexed = d.pages_indexed + excluded.pages_indexed,"                                         \
    " pages_failed = d.pages_failed + excluded.pages_failed, chunks = d.chunks + excluded.chunks,"       \
    " fetch_ms = d.fetch_ms + excluded.fetch_ms, extract_ms = d.extract_ms + excluded.extract_ms,"       \
    " chunking_ms = d.chunking_ms + excluded.chunking_ms,"                                               \
    " embedding_ms = d.embedding_ms + excluded.embedding_ms, index_ms = d.index_ms + excluded.index_ms," \
    " bm25_ms = d.bm25_ms + excluded.bm25_ms, duration_ms = d.duration_ms + excluded.duration_ms"

constexpr db::PgStatement fold_sessions_sql{
    "fold_sessions",
    "with old as (delete from quarry.session where id in (select id from quarry.session where started_at < $1"
    " order by started_at, id limit $2 for update skip locked) returning *),"
    " folded as (insert into quarry.session_day as d(day, operation, sessions, successes, " SESSION_COUNTS
    ") select started_at / 86400000 * 86400000, operation, count(*), count(*) filter (where success),"
    " sum(total_urls), sum(completed_urls), sum(failed_urls), sum(pages_indexed), sum(pages_failed), "
    "sum(chunks),"
    " sum(fetch_ms), sum(extract_ms), sum(chunking_ms), sum(embedding_ms), sum(index_ms), sum(bm25_ms),"
    " sum(duration_ms) from old group by 1, 2 order by 1, 2" ADD_TO_DAY ") select count(*) from old"};

constexpr db::PgStatement fold_group_sql{
    "fold_group",
    "insert into quarry.session_day as d(day, operation, sessions, successes, " SESSION_COUNTS
    ") select created_at / 86400000 * 86400000, kind, 1, (grp.state = 2 and (grp.completed > 0 or "
    "(grp.failed = 0"
    " and grp.kind not in ('scrape', 'rescrape'))))::int, grp.discovered, grp.completed,"
    " grp.failed, grp.indexed, (select coalesce(sum(changes.failed), 0) from quarry.outbox_count as changes"
    " where changes.grp = grp.id), grp.chunks, grp.fetch_us / 1000, grp.extract_us / 1000, grp.chunk_us / "
    "1000,"
    " grp.embed_us / 1000, grp.index_us / 1000, grp.words_us / 1000, coalesce(grp.finished_at - "
    "grp.started_at, 0)"
    " from quarry.grp where id = $1 and not zero_retention" ADD_TO_DAY};

constexpr db::PgStatement add_requests_sql{"add_requests", R"sql(
    insert into quarry.request(id, at, method, path, route, status, took_us, request_id, peer, user_agent, owner,
                               extra)
    select nextval('quarry.id'), at, method, path, route, status, took_us, request_id, peer, user_agent, owner, extra
    from (select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
                               $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) with ordinality
              as u(at, method, path, route, status, took_us, request_id, peer, user_agent, owner, extra, place)
          order by place) given)sql"};

#define SUM_UP_REQUESTS_OF(rows)                                                                        \
    "insert into quarry.request_day as d(day, route, status, requests, took_us)"                        \
    " select at / 86400000 * 86400000, route, status, count(*), sum(took_us) from " rows                \
    " group by 1, 2, 3 order by 1, 2, 3"                                                                \
    " on conflict(day, route, status) do update set requests = d.requests + excluded.requests, took_us" \
    " = d.took_us + excluded.took_us"
constexpr db::PgStatement fold_requests_sql{
    "fold_requests",
    "with chosen as materialized (select id, at from quarry.request where at < $1 order by at, id limit $2),"
    " old as (delete from quarry.request where id = any(array(select id from chosen))"
    " and at >= (select min(at) from chosen) and at <= (select max(at) from chosen) returning *),"
    " folded as (" SUM_UP_REQUESTS_OF("old") ") select count(*) from old"};
constexpr const char* sum_up_table_sql =
    "with folded as (" SUM_UP_REQUESTS_OF("{0}") ") select count(*) from {0}";

#define SUM_UP_OPERATIONS_OF(rows)                                                                      \
    "insert into quarry.operation_day as d(day, collection, pages, failed, chunks, chunk_us, embed_us," \
    " index_us, words_us)"                                                                              \
    " select at / 86400000 * 86400000, collection, count(*), count(error), sum(chunks), sum(chunk_us)," \
    " sum(embed_us), sum(index_us), sum(words_us) from " rows                                           \
    " group by 1, 2 order by 1, 2 on conflict(day, collection) do update set"                           \
    " pages = d.pages + excluded.pages, failed = d.failed + excluded.failed,"                           \
    " chunks = d.chunks + excluded.chunks, chunk_us = d.chunk_us + excluded.chunk_us,"                  \
    " embed_us = d.embed_us + excluded.embed_us, index_us = d.index_us + excluded.index_us,"            \
    " words_us = d.words_us + excluded.words_us"
constexpr db::PgStatement fold_operations_sql{
    "fold_operations",
    "with chosen as materialized (select id, at from quarry.operation where at < $1 order by at, id limit "
    "$2),"
    " old as (delete from quarry.operation where id = any(array(select id from chosen))"
    " and at >= (select min(at) from chosen) and at <= (select max(at) from chosen) returning *),"
    " folded as (" SUM_UP_OPERATIONS_OF("old") ") select count(*) from old"};
constexpr const char* sum_up_operations_sql =
    "with folded as (" SUM_UP_OPERATIONS_OF("{0}") ") select count(*) from {0}";

constexpr db::PgStatement find_key_sql{"find_api_key", "select 1 from quarry.api_key where hash = $1"};
constexpr db::PgStatement add_key_sql{
    "add_api_key",
    "insert into quarry.api_key(id, owner, name, hint, hash, created_at) values ($1, $2, $3, $4, $5, $6)"};
constexpr db::PgStatement revoke_key_sql{
    "revoke_api_key", "update quarry.api_key set revoked_at = $2 where id = $1 and revoked_at is null"};

}  // namespace

Answer<void> add_session(Ledger& ledger, const Session& session) {
    std::optional<std::int64_t> group, job;
    if (session.group) group = number(*session.group);
    if (session.job) job = number(*session.job);
    const SessionCounts& counts = session.counts;
    const auto time = [](std::chrono::milliseconds spent) { return std::int64_t{spent.count()}; };
    TRY(ledger.sql().run(
        add_session_sql,
        db::PgValues(group, job, session.operation, session.base_url, session.owner,
                     column_of(session.started_at), column_of(session.completed_at), session.success,
                     session.auto_index, counts.total_urls, counts.completed_urls, counts.failed_urls,
                     counts.pages_indexed, counts.pages_failed, counts.chunks, time(counts.fetch),
                     time(counts.extract), time(counts.chunking), time(counts.embedding), time(counts.index),
                     time(counts.bm25), time(counts.duration), session.extra, session.error)));
    return Result<void>{};
}

Answer<void> add_requests(Ledger& ledger, std::span<const RequestRecord> requests) {
    db::PgIntegers at, status, took;
    db::PgTexts method, path, route, request_id, peer, user_agent, owner, extra;
    for (const RequestRecord& request : requests) {
        at.emplace_back(column_of(request.at));
        status.emplace_back(request.status);
        took.emplace_back(request.took.count());
        method.emplace_back(request.method);
        path.emplace_back(request.path);
        route.emplace_back(request.route);
        request_id.emplace_back(request.request_id);
        peer.emplace_back(request.peer);
        user_agent.emplace_back(request.user_agent);
        owner.emplace_back(request.owner);
        extra.emplace_back(request.extra);
    }
    TRY(ledger.sql().run(add_requests_sql, db::PgValues(at, method, path, route, status, took, request_id,
                                                        peer, user_agent, owner, extra)));
    return Result<void>{};
}

Answer<std::int64_t> add_key(Ledger& ledger, const ApiKey& key) {
    const db::Blob hash{{reinterpret_cast<const char*>(key.hash.data()), key.hash.size()}};
    if (!TRY(ledger.sql().run(find_key_sql, db::PgValues(hash))).empty())
        return refuse<std::int64_t>(ErrorCode::conflict, "there is such a key already");
    const std::int64_t id = TRY(ledger.new_id());
    TRY(ledger.sql().run(add_key_sql,
                         db::PgValues(id, key.owner, key.name, key.hint, hash, column_of(ledger.now()))));
    return id;
}

Answer<bool> revoke_key(Ledger& ledger, std::int64_t id) {
    return TRY(ledger.sql().run(revoke_key_sql, db::PgValues(id, column_of(ledger.now())))).affected() > 0;
}

Result<std::int64_t> fold_sessions(Ledger& ledger, Timestamp when, int limit) {
    return TRY(ledger.sql().run(fold_sessions_sql, db::PgValues(column_of(when), limit))).integer(0, 0);
}

Result<std::int64_t> fold_requests(Ledger& ledger, Timestamp when, int limit) {
    return TRY(ledger.sql().run(fold_requests_sql, db::PgValues(column_of(when), limit))).integer(0, 0);
}

Result<std::int64_t> sum_up_requests(Ledger& ledger, const std::string& table) {
    return TRY(ledger.sql().query(fmt::format(fmt::runtime(sum_up_table_sql), table))).integer(0, 0);
}

Result<std::int64_t> fold_operations(Ledger& ledger, Timestamp when, int limit) {
    return TRY(ledger.sql().run(fold_operations_sql, db::PgValues(column_of(when), limit))).integer(0, 0);
}

Result<std::int64_t> sum_up_operations(Ledger& ledger, const std::string& table) {
    return TRY(ledger.sql().query(fmt::format(fmt::runtime(sum_up_operations_sql), table))).integer(0, 0);
}

Result<void> fold_group(Ledger& ledger, std::int64_t group) {
    TRY(ledger.sql().run(fold_group_sql, db::PgValues(group)));
    return {};
}

}  // namespace quarry::store::postgres
