#include "search/candidates.h"

#include <algorithm>
#include <map>

namespace quarry::search {
namespace {

constexpr float rank_offset = 60;  // the customary k: the first ranks are not worth all the others together

using Sums = std::map<ChunkRef, float>;

// Ties in the order of the chunks: the same question gets the same answer.
std::vector<index::Scored> ranked(const Sums& sums) {
    std::vector<index::Scored> ranking;
    ranking.reserve(sums.size());
    for (const auto& [chunk, score] : sums) ranking.push_back({chunk, score});
    std::ranges::stable_sort(ranking, std::ranges::greater{}, &index::Scored::score);
    return ranking;
}

}  // namespace

std::vector<index::Scored> fuse_scores(std::span<const Leg> legs) {
    Sums sums;
    for (const Leg& leg : legs) {
        if (leg.ranking.empty()) continue;
        const auto [last, best] = std::ranges::minmax(leg.ranking, {}, &index::Scored::score);
        const float spread = best.score - last.score;
        for (const index::Scored& hit : leg.ranking)
            sums[hit.chunk] += leg.weight * (spread > 0 ? (hit.score - last.score) / spread : 1);
    }
    return ranked(sums);
}

std::vector<index::Scored> fuse_ranks(std::span<const Leg> legs) {
    Sums sums;
    for (const Leg& leg : legs) {
        float rank = 0;
        for (const index::Scored& hit : leg.ranking) sums[hit.chunk] += leg.weight / (rank_offset + ++rank);
    }
    return ranked(sums);
}

}  // namespace quarry::search
