// A tree in the notation of the tree-construction tests (html5lib and web-platform-tests): one node a line,
// two spaces a level. For tests only.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::html {

// The children of `root` and all below them.
std::string dump(const Tree& tree, NodeId root);

}  // namespace quarry::html
