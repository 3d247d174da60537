// Asking Qdrant so that every page in an answer is whole. The points of pages say which generation of
// chunks counts. They are read before and after a question; if they differ, the answer may hold half a
// page, and the question is asked again.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/qdrant/collections.h"
#include "index/qdrant/service.h"

namespace quarry::index {

// The points of pages: which chunks of each count. Reading them before and after a question tells whether its
// answer may hold half a page.

using QdrantPages = std::map<PageId, QdrantPage>;

// Those that are there. `not_found` if the collection is not.
Result<QdrantPages> read_pages(const QdrantService& service, const std::string& points_path,
                               const std::string& collection, std::span<const PageId> pages);

// Asking Qdrant so that every page in an answer is whole: all of one generation.

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
