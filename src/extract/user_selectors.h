// What the user asks for by CSS selector: the elements to keep or to drop (--include-tags, --exclude-tags),
// and the values of attributes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "extract/selection.h"
#include "html/tree.h"
#include "model/page_options.h"

namespace quarry::extract {

// Values of attributes, for those who want a page's data and not its words.

// One entry for each wish, in order; elements without the attribute are left out. Beyond 10,000 values, or
// 4 MB of them, the rest is left out too. `invalid_argument` if a selector cannot be read.
Result<std::vector<AttributeValues>> read_attributes(const html::Tree& tree,
                                                     std::span<const AttributeWish> wishes);

// What the user keeps or leaves out by CSS selector: --include-tags and --exclude-tags.

// Keeps only what is inside elements that match one of the selectors, and those elements. Fails with
// `invalid_argument` on a selector that cannot be read; the sentence names it.
Result<void> keep_only(const html::Tree& tree, std::span<const std::string> selectors, Selection& selection);

// Drops every element that matches one of the selectors, with all that is in it. Fails as above.
Result<void> drop_matches(const html::Tree& tree, std::span<const std::string> selectors,
                          Selection& selection);

}  // namespace quarry::extract
