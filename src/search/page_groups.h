// From ranked chunks to ranked pages.
#pragma once

#include <span>
#include <vector>

#include "index/index.h"

namespace quarry::search {

struct PageGroup {
    PageId page{};
    float score = 0;
    std::vector<index::Scored> chunks{};  // of the page, best first
};

// A page is as good as its best chunk, so that a long page is not better for being long.
std::vector<PageGroup> group_by_page(std::span<const index::Scored> ranking);

// Each chunk by itself.
std::vector<PageGroup> each_alone(std::span<const index::Scored> ranking);

}  // namespace quarry::search
