#include "search/page_groups.h"

#include <unordered_map>

namespace quarry::search {

std::vector<PageGroup> group_by_page(std::span<const index::Scored> ranking) {
    std::vector<PageGroup> groups;
    std::unordered_map<PageId, std::size_t> places;
    for (const index::Scored& hit : ranking) {
        const auto [place, is_new] = places.emplace(hit.chunk.page, groups.size());
        if (is_new) groups.push_back({.page = hit.chunk.page, .score = hit.score});
        groups[place->second].chunks.push_back(hit);
    }
    return groups;
}

std::vector<PageGroup> each_alone(std::span<const index::Scored> ranking) {
    std::vector<PageGroup> groups;
    for (const index::Scored& hit : ranking)
        groups.push_back({.page = hit.chunk.page, .score = hit.score, .chunks = {hit}});
    return groups;
}

}  // namespace quarry::search
