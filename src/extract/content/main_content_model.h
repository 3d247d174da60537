// The learnt judgement: which blocks of a page are content. Two ensembles of trees: the first looks at each
// block, the second looks again knowing what the first thought of the rest of the page.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/content/page_view.h"

namespace quarry::extract {

// 0 (surroundings) to 255 (content), one per block.
std::vector<std::uint8_t> judge_blocks(const PageView& page);

}  // namespace quarry::extract
