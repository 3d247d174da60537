// From a judgement per block to a choice of blocks that reads well: no holes in tables and lists, no headings
// without their text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "extract/content/page_view.h"
#include "extract/extract_selection.h"

namespace quarry::extract {

// One flag per block: is it content? `likely` is the judgement of the model, 0 to 255.
std::vector<std::uint8_t> choose_blocks(const PageView& page, std::span<const std::uint8_t> likely);

// Keeps the nodes of the chosen blocks with their ancestors, and what belongs to them without being text:
// images, line breaks, rules, empty table cells.
Selection select_blocks(const PageView& page, std::span<const std::uint8_t> chosen);

}  // namespace quarry::extract
