// From ranked chunks to what is shown: chunks grouped by page, each shown chunk read once, each hit with
// its snippet.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/index.h"
#include "search/query.h"
#include "search/searcher.h"

namespace quarry::search {

// The chunks that one search shows, each read once.

class ChunkTexts {
public:
    ChunkTexts(index::Index& index, std::string collection)
        : index_(index), collection_(std::move(collection)) {}

    // Reads those that are not here yet, in one call.
    Result<void> fetch(std::span<const ChunkRef> refs);

    // Nothing if it has gone from the index, or was not fetched.
    const index::FoundChunk* find(const ChunkRef& ref) const;

    // The chunk's text and that of as many neighbours on each side as were fetched, in the page's order. What
    // neighbours repeat of each other is said once.
    std::string text_around(const ChunkRef& ref, int neighbours) const;

private:
    index::Index& index_;
    std::string collection_;
    std::map<ChunkRef, index::FoundChunk> chunks_;
};

// From ranked chunks to ranked pages.

struct PageGroup {
    PageId page{};
    float score = 0;
    std::vector<index::Scored> chunks{};  // of the page, best first
};

// A page is as good as its best chunk, so that a long page is not better for being long.
std::vector<PageGroup> group_by_page(std::span<const index::Scored> ranking);

// Each chunk by itself.
std::vector<PageGroup> each_alone(std::span<const index::Scored> ranking);

// From ranked pages to what is shown of them.

// Those of the groups' pages that are still there.
Result<std::vector<Hit>> make_hits(std::span<const PageGroup> groups, const SearchRequest& request,
                                   const Query& query, ChunkTexts& texts);

// The query's terms that occur in the best passage of any of the hits.
std::set<std::string> terms_met(const Query& query, std::span<const PageGroup> groups,
                                const ChunkTexts& texts);

}  // namespace quarry::search
