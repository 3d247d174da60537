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

// Any thread; those that change something, one at a time.
class QdrantCollections {
public:
    explicit QdrantCollections(const QdrantService& service) : service_(service) {}

    // "/collections/quarry-default/points", for rest "/points".
    std::string path(const std::string& collection, std::string_view rest = "") const;

    // As it was last seen or, if `is_fresh` matters, as it is. Nothing if there is no such collection.
    enum class Freshness { remembered, asked };
    Result<std::optional<QdrantCollectionFacts>> find(const std::string& collection, Freshness freshness);
    void forget(const std::string& collection);

    // Made if it is not there.
    Result<QdrantCollectionFacts> ensure(const std::string& collection);
    Result<void> save(const std::string& collection, const QdrantCollectionFacts& facts);
    // Already written by whoever calls this.
    void remember(const std::string& collection, const QdrantCollectionFacts& facts);
    Result<void> remove(const std::string& collection);

    // Another's vectors are dropped, or, by a Qdrant too old to do that, the collection is begun anew.
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
