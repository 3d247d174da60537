// Collections in Qdrant: made when first written to, with the vectors and payload indexes that quarry asks
// with, and one point that says whose vectors they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "index/qdrant/points.h"
#include "index/qdrant/service.h"

namespace quarry::index {

// Any thread may use it. Functions that change something are called by one thread at a time.
class QdrantCollections {
public:
    explicit QdrantCollections(const QdrantService& service) : service_(service) {}

    // "/collections/quarry-default/points", for rest "/points".
    std::string path(const std::string& collection, std::string_view rest = "") const;

    // The collection as it was last seen (remembered), or as it is now (asked). Nothing if there is no such
    // collection.
    enum class Freshness { remembered, asked };
    Result<std::optional<QdrantCollectionFacts>> find(const std::string& collection, Freshness freshness);
    void forget(const std::string& collection);

    // Makes the collection if it does not exist.
    Result<QdrantCollectionFacts> ensure(const std::string& collection);
    Result<void> save(const std::string& collection, const QdrantCollectionFacts& facts);
    // Records facts that the caller has already written.
    void remember(const std::string& collection, const QdrantCollectionFacts& facts);
    Result<void> remove(const std::string& collection);

    // Drops the vectors of another embedder. With a Qdrant too old to do that, the collection is begun anew.
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& embedder);

    Result<std::vector<std::string>> names() const;

private:
    Result<std::optional<QdrantCollectionFacts>> ask(const std::string& collection);
    Result<QdrantCollectionFacts> make(const std::string& collection, const EmbedderFacts& embedder);
    Result<void> exchange_vectors(const std::string& collection, int old_dimensions, int new_dimensions);

    const QdrantService& service_;
    Guarded<std::map<std::string, QdrantCollectionFacts>> known_;
};

}  // namespace quarry::index
