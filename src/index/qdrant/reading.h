// Asking Qdrant so that every page in an answer is whole: all of one generation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "index/qdrant/qdrant_answer.h"
#include "index/qdrant/collections.h"
#include "index/qdrant/qdrant_pages.h"

namespace quarry::index {

class QdrantReading {
public:
    QdrantReading(const QdrantService& service, const QdrantCollections& collections)
        : service_(service), collections_(collections) {}

    // A query without its limit. `not_found` if there is no such collection.
    Result<std::vector<Scored>> best(const std::string& collection, const boost::json::object& query,
                                     int limit) const;
    Result<std::vector<FoundChunk>> read(const std::string& collection,
                                         std::span<const ChunkRef> chunks) const;
    // Empty for a chunk that has none, or is not there.
    Result<std::vector<std::vector<float>>> vectors(const std::string& collection,
                                                    std::span<const ChunkRef> chunks) const;

private:
    struct Found {
        QdrantChunkPlace place{};
        float score = 0;
    };

    Result<std::vector<Found>> ask(const std::string& collection, boost::json::object query, int limit) const;
    Result<QdrantPages> pages_of(const std::string& collection, std::span<const PageId> pages) const;
    // The points of these chunks in their order, with the fields of `wanted`; nothing for a chunk that its
    // page does not have.
    using Records = std::vector<std::optional<QdrantPoint>>;
    Result<Records> records(const std::string& collection, std::span<const ChunkRef> chunks,
                            const boost::json::object& wanted) const;
    // Nothing if a chunk that should be there was not: its page has changed meanwhile.
    Result<std::optional<Records>> try_to_read(const std::string& collection,
                                               std::span<const ChunkRef> chunks,
                                               boost::json::object question) const;

    const QdrantService& service_;
    const QdrantCollections& collections_;
};

}  // namespace quarry::index
