// The points of pages: which chunks of each count. Reading them before and after a question tells whether its
// answer may hold half a page.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "index/qdrant/collections.h"

namespace quarry::index {

using QdrantPages = std::map<PageId, QdrantPage>;

// Those that are there. `not_found` if the collection is not.
Result<QdrantPages> read_pages(const QdrantService& service, const std::string& points_path,
                               const std::string& collection, std::span<const PageId> pages);

}  // namespace quarry::index
