#include "store/sqlite/reading/sqlite_reader_collections.h"

#include <map>

#include "store/rows/metrics.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

namespace {

// What was said of all, or of the one that is named.
Result<std::map<std::string, Collection>> read_rows(db::Connection& connection, const std::string& name) {
    Query rows("SELECT name, provider, model, dimensions, version, created_at FROM collection WHERE true");
    if (!name.empty()) rows.add(" AND name = ?", name);
    std::map<std::string, Collection> collections;
    TRY(rows.each(connection, [&](const db::Statement& row) {
        collections[std::string(row.text(0))] = collection_of(row);
    }));
    return collections;
}

Result<std::map<std::string, Collection>> read(db::Connection& connection, const std::string& name) {
    std::map<std::string, Collection> collections = TRY(read_rows(connection, name));
    // Names that begin with # belong to crawls without retention.
    Query pages("SELECT collection, count(*) FROM page INDEXED BY page_key WHERE collection NOT GLOB '#*'");
    if (!name.empty()) pages.add(" AND collection = ?", name);
    pages.add(" GROUP BY collection");
    TRY(pages.each(connection, [&](const db::Statement& row) {
        Collection& collection = collections[std::string(row.text(0))];
        collection.name = row.text(0);
        collection.pages = row.integer(1);
    }));
    return collections;
}

}  // namespace

Result<std::vector<Collection>> read_collections(db::Connection& connection) {
    std::vector<Collection> collections;
    for (auto& [name, collection] : TRY(read(connection, ""))) collections.push_back(std::move(collection));
    return collections;
}

Result<std::optional<Collection>> read_collection(db::Connection& connection, const std::string& name) {
    if (name.empty()) return std::nullopt;
    auto collections = TRY(read(connection, name));
    if (collections.empty()) return std::nullopt;
    return std::move(collections.begin()->second);
}

Result<EmbedderFacts> read_embedder(db::Connection& connection, const std::string& collection) {
    auto collections = TRY(read_rows(connection, collection));
    return collections.empty() ? EmbedderFacts{} : std::move(collections.begin()->second.embedder);
}

}  // namespace quarry::store
