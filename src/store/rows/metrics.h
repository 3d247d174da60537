// Keys, limits, usage, requests, sessions, operations and collections from rows. The lists of columns are
// macros, because SQL has no other way to name a list once.
#pragma once

#include <algorithm>
#include <functional>

#include "store/reader.h"
#include "store/rows/columns.h"

namespace quarry::store {

// Keys, limits, usage and requests from rows.

inline KeyHash key_hash_of(std::string_view bytes) {
    KeyHash hash{};
    if (bytes.size() == hash.size())
        std::ranges::transform(bytes, hash.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return hash;
}

#define KEY_COLUMNS "id, owner, name, hint, hash, created_at, revoked_at"
ApiKey api_key_of(const Row auto& row) {
    return {.id = row.integer(0),
            .owner = std::string(row.text(1)),
            .name = std::string(row.text(2)),
            .hint = std::string(row.text(3)),
            .hash = key_hash_of(row.text(4)),
            .created_at = time_of(row.integer(5)),
            .revoked_at = time_of(row.optional_integer(6))};
}

#define LIMIT_COLUMNS \
    "running_jobs, running_groups, open_jobs, requests_per_minute, pages_per_month, stored_bytes"
OwnerLimits limits_of(const Row auto& row) {
    return {.running_jobs = static_cast<int>(row.integer(0)),
            .running_groups = static_cast<int>(row.integer(1)),
            .open_jobs = row.integer(2),
            .requests_per_minute = row.integer(3),
            .pages_per_month = row.integer(4),
            .stored_bytes = row.integer(5)};
}

#define REQUEST_COLUMNS "at, method, path, route, status, took_us, request_id, peer, user_agent, owner, extra"
RequestRecord request_of(const Row auto& row) {
    return {.at = time_of(row.integer(0)),
            .method = std::string(row.text(1)),
            .path = std::string(row.text(2)),
            .route = std::string(row.text(3)),
            .status = static_cast<int>(row.integer(4)),
            .took = std::chrono::microseconds(row.integer(5)),
            .request_id = std::string(row.text(6)),
            .peer = std::string(row.text(7)),
            .user_agent = std::string(row.text(8)),
            .owner = std::string(row.text(9)),
            .extra = std::string(row.text(10))};
}

// day, route, status, requests, took_us
RequestDay request_day_of(const Row auto& row) {
    return {.day = time_of(row.integer(0)),
            .route = std::string(row.text(1)),
            .status = static_cast<int>(row.integer(2)),
            .requests = row.integer(3),
            .took = std::chrono::microseconds(row.integer(4))};
}

// Sessions, timings and collections from rows.

SessionCounts session_counts_of(const Row auto& row, int column) {
    using std::chrono::milliseconds;
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

// id, grp, job, operation, base_url, owner, started_at, completed_at, success, auto_index, the counts, extra,
// error
Session session_of(const Row auto& row) {
    Session session{.id = row.integer(0),
                    .operation = std::string(row.text(3)),
                    .base_url = std::string(row.text(4)),
                    .owner = std::string(row.text(5)),
                    .started_at = time_of(row.integer(6)),
                    .completed_at = time_of(row.optional_integer(7)),
                    .success = row.integer(8) != 0,
                    .auto_index = row.integer(9) != 0,
                    .counts = session_counts_of(row, 10),
                    .extra = std::string(row.text(23)),
                    .error = std::string(row.text(24))};
    if (const auto group = row.optional_integer(1)) session.group = GroupId{*group};
    if (const auto job = row.optional_integer(2)) session.job = JobId{*job};
    return session;
}

// The newest first. Crawls and other operations are read one after the other.
inline void keep_newest(std::vector<Session>& sessions, int limit) {
    std::ranges::stable_sort(sessions, std::greater{}, &Session::started_at);
    if (std::ssize(sessions) > limit) sessions.resize(static_cast<std::size_t>(std::max(limit, 0)));
}

// day, operation, sessions, successes, the counts
SessionDay session_day_of(const Row auto& row) {
    return {.day = time_of(row.integer(0)),
            .operation = std::string(row.text(1)),
            .sessions = row.integer(2),
            .successes = row.integer(3),
            .counts = session_counts_of(row, 4)};
}

// its place, url, fetch_us, extract_us, chunk_us, embed_us, index_us, words_us, chunks, note
SlowPage slow_page_of(const Row auto& row) {
    using std::chrono::microseconds;
    return {.url = std::string(row.text(1)),
            .timings = {.fetch = microseconds(row.integer(2)),
                        .extract = microseconds(row.integer(3)),
                        .chunk = microseconds(row.integer(4)),
                        .embed = microseconds(row.integer(5)),
                        .index = microseconds(row.integer(6)),
                        .words = microseconds(row.integer(7)),
                        .chunks = row.integer(8),
                        .note = std::string(row.text(9))}};
}

inline void keep_slowest(std::vector<SlowPage>& pages, int limit) {
    std::ranges::stable_sort(pages, std::greater{},
                             [](const SlowPage& page) { return page.timings.total(); });
    if (std::ssize(pages) > limit) pages.resize(static_cast<std::size_t>(std::max(limit, 0)));
}

// name, provider, model, dimensions, version, created_at
Collection collection_of(const Row auto& row) {
    return {.name = std::string(row.text(0)),
            .embedder = {.provider = std::string(row.text(1)),
                         .model = std::string(row.text(2)),
                         .dimensions = static_cast<int>(row.integer(3)),
                         .version = std::string(row.text(4))},
            .created_at = time_of(row.integer(5))};
}

// Operations from rows.

#define OPERATION_COLUMNS                                                                              \
    "id, at, job, job_created_at, grp, grp_created_at, collection, url, request_id, error, chunk_us, " \
    "embed_us, index_us, words_us, chunks, note"
Operation operation_of(const Row auto& row) {
    using std::chrono::microseconds;
    Operation operation{.id = row.integer(0),
                        .at = time_of(row.integer(1)),
                        .job = JobId{row.integer(2)},
                        .job_created_at = time_of(row.integer(3)),
                        .group_created_at = time_of(row.optional_integer(5)),
                        .collection = std::string(row.text(6)),
                        .url = std::string(row.text(7)),
                        .request_id = std::string(row.text(8)),
                        .error = std::string(row.text(9)),
                        .timings = {.chunk = microseconds(row.integer(10)),
                                    .embed = microseconds(row.integer(11)),
                                    .index = microseconds(row.integer(12)),
                                    .words = microseconds(row.integer(13)),
                                    .chunks = row.integer(14),
                                    .note = std::string(row.text(15))}};
    if (const auto group = row.optional_integer(4)) operation.group = GroupId{*group};
    return operation;
}

#define OPERATION_DAY_COLUMNS "day, collection, pages, failed, chunk_us, embed_us, index_us, words_us, chunks"
OperationDay operation_day_of(const Row auto& row) {
    using std::chrono::microseconds;
    return {.day = time_of(row.integer(0)),
            .collection = std::string(row.text(1)),
            .pages = row.integer(2),
            .failed = row.integer(3),
            .timings = {.chunk = microseconds(row.integer(4)),
                        .embed = microseconds(row.integer(5)),
                        .index = microseconds(row.integer(6)),
                        .words = microseconds(row.integer(7)),
                        .chunks = row.integer(8)}};
}

}  // namespace quarry::store

// The columns of session counts, for those that write and those that read them. SQL has no other way to name
// a list once.

#define SESSION_COUNTS                                                                                     \
    "total_urls, completed_urls, failed_urls, pages_indexed, pages_failed, chunks, fetch_ms, extract_ms, " \
    "chunking_ms, embedding_ms, index_ms, bm25_ms, duration_ms"

// The same of a crawl, from its group. What it has of microseconds becomes milliseconds.
#define GROUP_SESSION_COUNTS                                                                              \
    "grp.discovered, grp.completed, grp.failed, grp.indexed, "                                            \
    "(SELECT coalesce(sum(changes.failed), 0) FROM outbox_count AS changes WHERE changes.grp = grp.id), " \
    "grp.chunks, grp.fetch_us / 1000, grp.extract_us / 1000, grp.chunk_us / 1000, grp.embed_us / 1000, "  \
    "grp.index_us / 1000, grp.words_us / 1000, coalesce(grp.finished_at - grp.started_at, 0)"

// A crawl that brought no page though it was over failed, whatever its state says; so did a scrape that was
// refused.
#define GROUP_SUCCESS \
    "(grp.state = 2 AND (grp.completed > 0 OR (grp.failed = 0 AND grp.kind NOT IN ('scrape', 'rescrape'))))"
// Why: its own reason, or that of the last URL that brought none.
#define GROUP_ERROR_OF(frontier_table)                                                                     \
    "coalesce(nullif(grp.error, ''), CASE WHEN grp.state = 2 AND grp.completed = 0 THEN (SELECT url.note " \
    "FROM " frontier_table                                                                                 \
    " AS url WHERE url.grp = grp.id AND url.state IN (3, 4) ORDER BY url.id DESC LIMIT 1) END, '')"

// The sums of all those, of rows that have the columns; each is cast to what a reader expects.
#define SESSION_SUMS(cast)                                                                               \
    "sum(total_urls)" cast ", sum(completed_urls)" cast ", sum(failed_urls)" cast                        \
    ", sum(pages_indexed)" cast ", sum(pages_failed)" cast ", sum(chunks)" cast ", sum(fetch_ms)" cast   \
    ", sum(extract_ms)" cast ", sum(chunking_ms)" cast ", sum(embedding_ms)" cast ", sum(index_ms)" cast \
    ", sum(bm25_ms)" cast ", sum(duration_ms)" cast
