// The rows of the log within a transaction: a collection's, its pages' and their chunks'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/postgres/connection.h"
#include "index/index.h"
#include "index/postgres/index_log.h"

namespace quarry::index {

struct LogCollection {
    std::int64_t id = 0;
    std::int64_t sequence = 0;
    std::int64_t generation = 0;  // of its vectors
    EmbedderFacts embedder{};
};

// Until the end of the transaction the collection cannot be dropped; others may write to it.
Result<std::optional<LogCollection>> find_collection(db::PgConnection& connection, const std::string& name);
// The same; it is made if it is not there.
Result<LogCollection> ensure_collection(db::PgConnection& connection, const std::string& name);
// As it is, without a lock.
Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, const std::string& name);
Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, std::int64_t id);

// What a page's row is to be.
struct LogPage {
    IndexedPage page{};
    bool is_removed = false;
};

// Of several versions of a page the last one of the newest; in order of the pages.
std::vector<LogPage> newest_of(std::vector<LogPage> pages);

// Writes pages with their chunks, those that are not older than what is there, and takes their sequence
// numbers. `conflict` if a vector has other dimensions than those the collection has.
Result<void> write_pages(db::PgConnection& connection, LogCollection collection,
                         const std::vector<LogPage>& newest);

// In a transaction that sees one state.
Result<IndexLog::Batch> read_pages(db::PgConnection& connection, const LogCollection& collection,
                                   std::int64_t after, int max_pages);

}  // namespace quarry::index
