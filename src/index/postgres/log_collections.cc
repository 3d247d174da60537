#include <fmt/format.h>

#include "index/postgres/log_rows.h"

namespace quarry::index {

namespace {

#define COLLECTION_COLUMNS "id, sequence, generation, provider, model, version, dimensions"

// Writers share it among themselves, although each of them changes its sequence number in the end: only who
// changes its key, which dropping does, has to wait for them.
constexpr db::PgStatement lock_collection = {"index_collection_lock",
                                             "select " COLLECTION_COLUMNS
                                             " from quarry.index_collection where name = $1 for key share"};
constexpr db::PgStatement find_statement = {
    "index_collection_find", "select " COLLECTION_COLUMNS " from quarry.index_collection where name = $1"};
constexpr db::PgStatement read_statement = {
    "index_collection_read",
    "select " COLLECTION_COLUMNS " from quarry.index_collection where id = $1 and name is not null"};
constexpr db::PgStatement add_statement = {
    "index_collection_add",
    "insert into quarry.index_collection(name) values ($1) on conflict (name) do nothing"};

#undef COLLECTION_COLUMNS

std::optional<LogCollection> collection_of(const db::PgRows& rows) {
    if (rows.empty()) return std::nullopt;
    const db::PgRow row(rows, 0);
    return LogCollection{.id = row.integer(0),
                         .sequence = row.integer(1),
                         .generation = row.integer(2),
                         .embedder = {.provider = std::string(row.text(3)),
                                      .model = std::string(row.text(4)),
                                      .dimensions = static_cast<int>(row.integer(6)),
                                      .version = std::string(row.text(5))}};
}

}  // namespace

Result<std::optional<LogCollection>> find_collection(db::PgConnection& connection, const std::string& name) {
    return collection_of(TRY(connection.run(lock_collection, db::PgValues(name))));
}

Result<LogCollection> ensure_collection(db::PgConnection& connection, const std::string& name) {
    // It may be dropped in between, again and again; nobody does that for long.
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (auto found = TRY(find_collection(connection, name))) return *std::move(found);
        TRY(connection.run(add_statement, db::PgValues(name)));
    }
    return fail(ErrorCode::unavailable, fmt::format("the collection \"{}\" is being dropped", name));
}

Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, const std::string& name) {
    return collection_of(TRY(connection.run(find_statement, db::PgValues(name))));
}

Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, std::int64_t id) {
    return collection_of(TRY(connection.run(read_statement, db::PgValues(id))));
}

}  // namespace quarry::index
