// The columns of session counts, for those that write and those that read them. SQL has no other way to name
// a list once.
#pragma once

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
