// The columns of session counts, for those that write and those that read them. SQL has no other way to name
// a list once.
#pragma once

#define SESSION_COUNTS                                                                                     \
    "total_urls, completed_urls, failed_urls, pages_indexed, pages_failed, chunks, fetch_ms, extract_ms, " \
    "chunking_ms, embedding_ms, index_ms, bm25_ms, duration_ms"

// The same of a crawl, from its group. What it has of microseconds becomes milliseconds; the words' part of
// indexing is not measured by itself.
#define GROUP_SESSION_COUNTS                                                                              \
    "grp.discovered, grp.completed, grp.failed, grp.indexed, "                                            \
    "(SELECT coalesce(sum(changes.failed), 0) FROM outbox_count AS changes WHERE changes.grp = grp.id), " \
    "grp.chunks, grp.fetch_us / 1000, grp.extract_us / 1000, grp.chunk_us / 1000, grp.embed_us / 1000, "  \
    "grp.index_us / 1000, 0, coalesce(grp.finished_at - grp.started_at, 0)"
