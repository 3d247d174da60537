// Where the picture of an <img> really is: pages that load pictures late put a placeholder into src.
#pragma once

#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// The reference to the picture as written: the best candidate of srcset (its own, or that of a <source> in
// the <picture> around it), the attributes in which scripts keep it (data-src and the like), or src; "" if
// there is none. A data: URL is given only if there is nothing else.
std::string_view image_source(const html::Tree& tree, html::NodeId image);

}  // namespace quarry::extract
