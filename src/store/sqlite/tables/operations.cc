#include "store/sqlite/tables/operations.h"

#include "store/rows/columns.h"

namespace quarry::store {

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
