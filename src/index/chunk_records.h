// Chunks as JSON, as `export chunks` prints them and the API gives them.
#pragma once

#include <span>
#include <string>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "index/index.h"

namespace quarry::index {

// {"id", "url", "collection", "title", "chunk_index", "headings", "chunk_text"}, and "vector" if asked for.
// Those that are not there are left out.
enum class WithVectors : bool { no, yes };
Result<boost::json::array> chunk_records(Index& index, const std::string& collection,
                                         std::span<const ChunkRef> wanted, WithVectors with_vectors);

}  // namespace quarry::index
