// What the user keeps or leaves out by CSS selector: --include-tags and --exclude-tags.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "extract/extract_selection.h"
#include "html/tree.h"

namespace quarry::extract {

// Keeps only what is inside elements that match one of the selectors, and those elements. Fails with
// `invalid_argument` on a selector that cannot be read; the sentence names it.
Result<void> keep_only(const html::Tree& tree, std::span<const std::string> selectors, Selection& selection);

// Drops every element that matches one of the selectors, with all that is in it. Fails as above.
Result<void> drop_matches(const html::Tree& tree, std::span<const std::string> selectors,
                          Selection& selection);

}  // namespace quarry::extract
