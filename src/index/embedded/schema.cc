#include "index/embedded/schema.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace quarry::index {

namespace {

// "qrix": how a file says that it is ours.
constexpr std::int64_t application_id = 0x71726978;

// Overflow pages of a blob are read one by one: larger pages halve the time for a common term's postings.
constexpr int page_bytes = 8'192;

// Chunks of a page have consecutive ids that are never used again; slots, by which postings and sign bits
// name them, are. Slots that belong to no row of `page` are dead.
constexpr std::string_view version_1 = R"sql(
CREATE TABLE meta(
    name  TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;  -- next_chunk, source, position …

CREATE TABLE collection(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    is_dropped INTEGER NOT NULL,  -- its rows are being removed
    space      INTEGER NOT NULL,  -- whose vectors answer; 0: none
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    version    TEXT NOT NULL,
    dimensions INTEGER NOT NULL
);
CREATE UNIQUE INDEX collection_name ON collection(name) WHERE NOT is_dropped;

-- What is read at start comes first, what only hits need comes last.
CREATE TABLE page(
    collection   INTEGER NOT NULL,
    page         INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    is_removed   INTEGER NOT NULL,  -- only its version is remembered
    first_chunk  INTEGER NOT NULL,
    chunks       BLOB NOT NULL,     -- slot and length of each
    fetched_at   INTEGER NOT NULL,
    language     TEXT NOT NULL,
    host         TEXT NOT NULL,
    path         TEXT NOT NULL,
    status       INTEGER NOT NULL,
    content_hash INTEGER NOT NULL,
    id           TEXT NOT NULL,
    url          TEXT NOT NULL,
    title        TEXT NOT NULL,
    description  TEXT NOT NULL,
    PRIMARY KEY(collection, page)
) WITHOUT ROWID;
CREATE INDEX page_chunk ON page(collection, first_chunk);

-- Texts and headings of up to 16 consecutive chunks, compressed together, by the id of the first.
CREATE TABLE passages(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

-- Terms of pages whose postings are in no segment yet, by the id of their first chunk.
CREATE TABLE pending(
    id         INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    page       INTEGER NOT NULL,
    bytes      BLOB NOT NULL
);

CREATE TABLE segment(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    state      INTEGER NOT NULL,  -- being written, in use, dropped
    slots      BLOB NOT NULL
);
-- Consecutive terms of a segment with their postings, by the first.
CREATE TABLE leaf(
    segment INTEGER NOT NULL,
    first   BLOB NOT NULL,
    bytes   BLOB NOT NULL,
    PRIMARY KEY(segment, first)
) WITHOUT ROWID;

CREATE TABLE space(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    state      INTEGER NOT NULL,  -- being filled, in use, dropped
    dimensions INTEGER NOT NULL,  -- 0 until there is a vector
    fitted_on  INTEGER NOT NULL,
    bytes      BLOB               -- NULL: of a service
);
CREATE TABLE vector(
    space INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY(space, chunk)
) WITHOUT ROWID;
-- Signs of 256 consecutive slots, so that starting need not read the vectors.
CREATE TABLE sign_block(
    space INTEGER NOT NULL,
    block INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY(space, block)
) WITHOUT ROWID;
)sql";

constexpr std::array steps = {version_1};
static_assert(steps.size() == schema_version);

// The version of the file; 0 if it is empty.
Result<std::int64_t> version_of(db::Connection& connection) {
    const std::int64_t version = TRY(connection.integer("PRAGMA user_version")).value_or(0);
    const std::int64_t owner = TRY(connection.integer("PRAGMA application_id")).value_or(0);
    const std::int64_t tables = TRY(connection.integer("SELECT count(*) FROM sqlite_master")).value_or(0);
    if (owner != application_id && (owner != 0 || tables != 0)) {
        return fail(ErrorCode::corrupt, "this file is no search index of quarry");
    }
    if (version > schema_version) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the search index has version {}, this program knows versions up to {}: use "
                                "a newer quarry, or delete the index, which is then made anew",
                                version, schema_version));
    }
    return version;
}

}  // namespace

Result<void> check_small_tables(db::Connection& connection) {
    for (const std::string_view table : {"meta", "collection", "segment", "space"}) {
        db::Statement check = TRY(connection.prepare(fmt::format("PRAGMA quick_check('{}')", table)));
        if (!TRY(check.step()) || check.text(0) != "ok")
            return fail(ErrorCode::corrupt, fmt::format("the table {} is damaged: {}", table, check.text(0)));
    }
    return {};
}

Result<void> prepare_for_writing(db::Connection& connection) {
    const std::int64_t version = TRY(version_of(connection));
    if (version == 0) TRY(connection.execute(fmt::format("PRAGMA page_size = {}", page_bytes)));
    // Merging reads and writes in order, so a large cache would gain nothing.
    TRY(connection.execute(R"sql(
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA wal_autocheckpoint = 2000;
        PRAGMA journal_size_limit = 67108864;
        PRAGMA cache_size = -16384;
        PRAGMA temp_store = MEMORY;
    )sql"));
    for (std::int64_t next = version; next < schema_version; ++next) {
        db::Transaction transaction = TRY(db::Transaction::begin(connection));
        TRY(connection.execute(steps[static_cast<std::size_t>(next)]));
        TRY(connection.execute(
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, next + 1)));
        TRY(transaction.commit());
    }
    return {};
}

Result<void> prepare_for_reading(db::Connection& connection) {
    if (TRY(version_of(connection)) == 0) {
        return fail(ErrorCode::not_found, "there is no search index yet");
    }
    return connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -4096;");
}

}  // namespace quarry::index
