// The chunks that may answer a query: found by the index's two legs, words and vectors, fused into one
// ranking by pure functions, and checked against what the query demands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "index/index.h"
#include "search/query.h"
#include "search/searcher.h"

namespace quarry::search {

// One ranking out of two: what words found and what vectors found. Pure functions.

// A ranking to be fused, best first, and how much it counts.
struct Leg {
    std::span<const index::Scored> ranking{};
    float weight = 1;
};

// By weighted score: each leg's scores are spread from 1, its best, to 0, its last; what a leg does not have
// is 0 in it. Right where scores mean something, as those of the builtin space do: .699 nDCG@10 on scifact
// where fusing its ranks gives .612.
std::vector<index::Scored> fuse_scores(std::span<const Leg> legs);

// Reciprocal rank fusion: the nth of a leg counts weight / (60 + n). Right where the legs are equally good
// and their scores cannot be compared.
std::vector<index::Scored> fuse_ranks(std::span<const Leg> legs);

// The chunks that may answer a query: from the index's two legs, fused, and checked against what the query
// demands.

struct Candidates {
    std::vector<index::Scored> ranking{};  // best first
    Mode mode = Mode::hybrid;              // what was done
    std::string warning{};
};

// Enough of them for request.offset + request.limit pages, if there are.
Result<Candidates> find_candidates(const SearcherParts& parts, const SearchTuning& tuning,
                                   const SearchRequest& request, const Query& query);

}  // namespace quarry::search
