// Text that a page holds twice: once for phones and once for desks, as slides and as one piece, in full and
// again in quotes.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/content/page_view.h"

namespace quarry::extract {

// Unmarks chosen blocks that say over several sentences what chosen blocks before them have said. Code, cells
// and definitions are left alone: reference pages repeat them with reason. Linear in the chosen text.
void drop_repeated_text(const PageView& page, std::vector<std::uint8_t>& chosen);

}  // namespace quarry::extract
