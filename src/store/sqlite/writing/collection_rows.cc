#include "store/sqlite/writing/collection_rows.h"

#include "store/rows/columns.h"

namespace quarry::store {

Answer<void> set_collection(Ledger& ledger, const Collection& collection) {
    if (collection.name.empty() || collection.name.starts_with('#')) {
        return refuse<void>(ErrorCode::invalid_argument,
                            "a collection has a name, which does not begin with #");
    }
    db::Statement set = TRY(ledger.connection().prepare(R"sql(
        INSERT INTO collection(name, provider, model, dimensions, version, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT(name) DO UPDATE SET provider = excluded.provider, model = excluded.model,
                                        dimensions = excluded.dimensions, version = excluded.version)sql"));
    const EmbedderFacts& embedder = collection.embedder;
    const Timestamp created_at = collection.created_at == Timestamp{} ? ledger.now() : collection.created_at;
    TRY(set.bind(collection.name, embedder.provider, embedder.model, embedder.dimensions, embedder.version,
                 column_of(created_at))
            .run());
    return Result<void>{};
}

Answer<bool> remove_collection(Ledger& ledger, const std::string& name) {
    db::Statement remove = TRY(ledger.connection().prepare("DELETE FROM collection WHERE name = ?1"));
    TRY(remove.bind(name).run());
    return ledger.connection().changes() > 0;
}

}  // namespace quarry::store
