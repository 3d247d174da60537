// Sessions, timings and collections from rows.
#pragma once

#include <algorithm>
#include <functional>

#include "store/reader.h"
#include "store/rows/row.h"
#include "store/rows/columns.h"

namespace quarry::store {

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

}  // namespace quarry::store
