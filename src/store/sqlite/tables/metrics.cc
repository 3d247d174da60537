#include "store/sqlite/tables/metrics.h"

#include "store/rows/columns.h"
#include "store/rows/metrics.h"

namespace quarry::store {

namespace {

std::int64_t time_column(std::chrono::milliseconds time) {
    return time.count();
}

// Days begin at midnight, UTC: 86,400,000 milliseconds each.
#define ADD_TO_DAY                                                                                   \
    " ON CONFLICT(day, operation) DO UPDATE SET sessions = sessions + excluded.sessions,"            \
    " successes = successes + excluded.successes, total_urls = total_urls + excluded.total_urls,"    \
    " completed_urls = completed_urls + excluded.completed_urls,"                                    \
    " failed_urls = failed_urls + excluded.failed_urls,"                                             \
    " pages_indexed = pages_indexed + excluded.pages_indexed,"                                       \
    " pages_failed = pages_failed + excluded.pages_failed, chunks = chunks + excluded.chunks,"       \
    " fetch_ms = fetch_ms + excluded.fetch_ms, extract_ms = extract_ms + excluded.extract_ms,"       \
    " chunking_ms = chunking_ms + excluded.chunking_ms,"                                             \
    " embedding_ms = embedding_ms + excluded.embedding_ms, index_ms = index_ms + excluded.index_ms," \
    " bm25_ms = bm25_ms + excluded.bm25_ms, duration_ms = duration_ms + excluded.duration_ms"

constexpr std::string_view fold_sql =
    "INSERT INTO session_day(day, operation, sessions, successes, " SESSION_COUNTS
    ") SELECT started_at / 86400000 * 86400000, operation, count(*), sum(success), sum(total_urls),"
    " sum(completed_urls), sum(failed_urls), sum(pages_indexed), sum(pages_failed), sum(chunks),"
    " sum(fetch_ms), sum(extract_ms), sum(chunking_ms), sum(embedding_ms), sum(index_ms), sum(bm25_ms),"
    " sum(duration_ms) FROM session WHERE id IN"
    " (SELECT id FROM session WHERE started_at < ?1 ORDER BY started_at, id LIMIT ?2)"
    " GROUP BY 1, 2" ADD_TO_DAY;

constexpr std::string_view drop_sql =
    "DELETE FROM session WHERE id IN"
    " (SELECT id FROM session WHERE started_at < ?1 ORDER BY started_at, id LIMIT ?2)";

constexpr std::string_view fold_group_sql =
    "INSERT INTO session_day(day, operation, sessions, successes, " SESSION_COUNTS
    ") SELECT created_at / 86400000 * 86400000, kind, 1, " GROUP_SUCCESS ", " GROUP_SESSION_COUNTS
    " FROM grp WHERE id = ?1 AND zero_retention = 0" ADD_TO_DAY;

}  // namespace

Answer<void> add_session(Ledger& ledger, const Session& session) {
    db::Statement insert = TRY(ledger.connection().prepare(
        "INSERT INTO session(id, grp, job, operation, base_url, owner, started_at, completed_at, success,"
        " auto_index, " SESSION_COUNTS
        ", extra, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
        " ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"));
    std::optional<std::int64_t> group, job;
    if (session.group) group = number(*session.group);
    if (session.job) job = number(*session.job);
    const SessionCounts& counts = session.counts;
    TRY(insert
            .bind(ledger.next_id(), group, job, session.operation, session.base_url, session.owner,
                  column_of(session.started_at), column_of(session.completed_at), session.success,
                  session.auto_index, counts.total_urls, counts.completed_urls, counts.failed_urls,
                  counts.pages_indexed, counts.pages_failed, counts.chunks, time_column(counts.fetch),
                  time_column(counts.extract), time_column(counts.chunking), time_column(counts.embedding),
                  time_column(counts.index), time_column(counts.bm25), time_column(counts.duration),
                  session.extra, session.error)
            .run());
    return Result<void>{};
}

Result<std::int64_t> fold_sessions(Ledger& ledger, Timestamp when, int limit) {
    db::Statement fold = TRY(ledger.connection().prepare(fold_sql));
    TRY(fold.bind(column_of(when), limit).run());
    db::Statement drop = TRY(ledger.connection().prepare(drop_sql));
    TRY(drop.bind(column_of(when), limit).run());
    return ledger.connection().changes();
}

Result<void> fold_group(Ledger& ledger, std::int64_t group) {
    db::Statement fold = TRY(ledger.connection().prepare(fold_group_sql));
    return fold.bind(group).run();
}

namespace {

// Days begin at midnight, UTC: 86,400,000 milliseconds each.
constexpr std::string_view fold_operations_sql = R"sql(
INSERT INTO operation_day(day, collection, pages, failed, chunks, chunk_us, embed_us, index_us, words_us)
    SELECT at / 86400000 * 86400000, collection, count(*), count(error), sum(chunks), sum(chunk_us), sum(embed_us),
           sum(index_us), sum(words_us) FROM operation
    WHERE id IN (SELECT id FROM operation WHERE at < ?1 ORDER BY at, id LIMIT ?2) GROUP BY 1, 2
ON CONFLICT(day, collection) DO UPDATE SET
    pages = pages + excluded.pages, failed = failed + excluded.failed, chunks = chunks + excluded.chunks,
    chunk_us = chunk_us + excluded.chunk_us, embed_us = embed_us + excluded.embed_us,
    index_us = index_us + excluded.index_us, words_us = words_us + excluded.words_us)sql";

constexpr std::string_view drop_operations_sql =
    "DELETE FROM operation WHERE id IN (SELECT id FROM operation WHERE at < ?1 ORDER BY at, id LIMIT ?2)";

}  // namespace

Result<std::int64_t> fold_operations(Ledger& ledger, Timestamp when, int limit) {
    db::Statement fold = TRY(ledger.connection().prepare(fold_operations_sql));
    TRY(fold.bind(column_of(when), limit).run());
    db::Statement drop = TRY(ledger.connection().prepare(drop_operations_sql));
    TRY(drop.bind(column_of(when), limit).run());
    return ledger.connection().changes();
}

}  // namespace quarry::store
