// Writing pages so that no reader ever sees half of one. The new chunks are put beside the old ones, under a
// new generation that nobody counts yet; then the page's own point, a single one, names the new generation;
// then the old chunks are deleted. A crash between any two steps leaves points that do not count, and writing
// the page again deletes them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "index/qdrant/collections.h"

namespace quarry::index {

class QdrantWriting {
public:
    QdrantWriting(const QdrantService& service, QdrantCollections& collections)
        : service_(service), collections_(collections) {}

    // As Index says. Callers take turns.
    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages);
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages);

private:
    Result<void> settle_dimensions(const std::string& collection, std::span<const IndexedPage> pages,
                                   QdrantCollectionFacts& facts);
    Result<void> put_chunks(const std::string& collection, const IndexedPage& page, const QdrantPage& next,
                            double average_length);
    Result<void> put_pages(const std::string& collection, std::span<const IndexedPage> pages,
                           std::span<QdrantPage> written, const QdrantCollectionFacts& facts);
    Result<void> delete_uncounted(const std::string& collection, std::span<const QdrantPage> pages);
    // Collects points until they are worth a request.
    Result<void> add_point(const std::string& collection, std::string point);
    Result<void> flush(const std::string& collection);

    const QdrantService& service_;
    QdrantCollections& collections_;
    std::string pending_{};  // points as JSON, separated by commas
};

}  // namespace quarry::index
