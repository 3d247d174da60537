// Tells the content of a page from its surroundings: navigation, banners, share bars, related links,
// footers. Two ensembles of trees judge the blocks, and the second one knows what the first one thought of
// the rest of the page. Rules then choose blocks that read well: no holes in tables and lists, no headings
// without their text, nothing twice. select_main_content does all of it; the single steps are here for
// training and benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "extract/content/page_view.h"
#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract {

// The learnt judgement: which blocks of a page are content. Two ensembles of trees: the first looks at each
// block, the second looks again knowing what the first thought of the rest of the page.

// 0 (surroundings) to 255 (content), one per block.
std::vector<std::uint8_t> judge_blocks(const PageView& page);

// From a judgement per block to a choice of blocks that reads well: no holes in tables and lists, no headings
// without their text.

// One flag per block: is it content? `likely` is the judgement of the model, 0 to 255.
std::vector<std::uint8_t> choose_blocks(const PageView& page, std::span<const std::uint8_t> likely);

// Keeps the nodes of the chosen blocks with their ancestors, and what belongs to them without being text:
// images, line breaks, rules, empty table cells.
Selection select_blocks(const PageView& page, std::span<const std::uint8_t> chosen);

// Tells the content of a page from its surroundings: navigation, banners, share bars, related links, footers.

// Marks what a reader came for, on any kind of page. Never empty-handed: a page whose text is all boilerplate
// by every measure is returned whole. Pure; linear in the size of the tree.
Selection select_main_content(const html::Tree& tree);

// Everything a browser would show, boilerplate included: drops only what is never text (scripts, styles,
// templates, hidden elements).
Selection select_full_page(const html::Tree& tree);

}  // namespace quarry::extract
