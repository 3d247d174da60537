// The small links that documentation puts beside headings: to themselves (¶, #, "Link to this heading"), or
// to edit the section.
#pragma once

#include "html/tree.h"

namespace quarry::extract {

// True if the element is such a link, or a button that copies it: nothing a reader came for. False for a link
// that holds the heading's own text. Looks at a bounded number of nodes.
bool is_heading_anchor(const html::Tree& tree, html::NodeId id);

}  // namespace quarry::extract
