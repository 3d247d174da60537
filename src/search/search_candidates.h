// The chunks that may answer a query: from the index's two legs, fused, and checked against what the query
// demands.
#pragma once

#include <string>
#include <vector>

#include "search/query.h"
#include "search/searcher.h"

namespace quarry::search {

struct Candidates {
    std::vector<index::Scored> ranking{};  // best first
    Mode mode = Mode::hybrid;              // what was done
    std::string warning{};
};

// Enough of them for request.offset + request.limit pages, if there are.
Result<Candidates> find_candidates(const SearcherParts& parts, const SearchTuning& tuning,
                                   const SearchRequest& request, const Query& query);

}  // namespace quarry::search
