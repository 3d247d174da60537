// What is asked of a chunk beside its score, as Qdrant's filters say it.
#pragma once

#include <span>

#include <boost/json/fwd.hpp>

#include "index/index.h"
#include "index/qdrant/points.h"

namespace quarry::index {

// A path's prefix ends where one of its segments does: "/guide" and "/guide/" find "/guide/install", "/gui"
// does not.
boost::json::object to_qdrant(const Filter& filter);
boost::json::object to_qdrant(const Filter& filter, const KeywordQuery& query);

// The chunks of these pages that do not count: those of other generations, and those that a writer which
// broke off has left in this one.
boost::json::object uncounted_chunks(std::span<const QdrantPage> pages);

}  // namespace quarry::index
