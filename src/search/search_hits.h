// From ranked pages to what is shown of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "search/hits.h"
#include "search/page_groups.h"
#include "search/query.h"
#include "search/searcher.h"

namespace quarry::search {

// Those of the groups' pages that are still there.
Result<std::vector<Hit>> make_hits(std::span<const PageGroup> groups, const SearchRequest& request,
                                   const Query& query, ChunkTexts& texts);

// The query's terms that occur in the best passage of any of the hits.
std::set<std::string> terms_met(const Query& query, std::span<const PageGroup> groups,
                                const ChunkTexts& texts);

}  // namespace quarry::search
