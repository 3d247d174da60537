// What a browser would not show, whatever the page is about: scripts, inert templates, hidden elements.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract {

// True for elements whose contents are never text for a reader: script, style, head, inert templates, …
// A <template shadowrootmode> is rendered, so it is not one of them.
bool is_never_rendered(const html::Tree& tree, html::NodeId id);

// True if the element's own attributes hide it (hidden, style, a closed dialog). Inactive tab panels are not
// counted: they are one click away and part of what the page says.
bool is_hidden(const html::Tree& tree, html::NodeId id);

// For every node the bytes of rendered, non-blank text before it in document order, and one more entry for
// the end: text inside a subtree is the difference of two entries.
std::vector<std::uint32_t> rendered_text_before(const html::Tree& tree);

}  // namespace quarry::extract
