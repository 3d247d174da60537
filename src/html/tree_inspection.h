// A tree seen from outside, for tests and fuzzing. find_fault checks the promises of tree.h for a whole
// tree. dump writes a tree in the notation of the tree-construction tests (html5lib and web-platform-
// tests): one node a line, two spaces a level.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::html {

// The promises of tree.h, checked for a whole tree. For tests and fuzzing.

// The first promise that the tree breaks, as a sentence; "" if it keeps them all.
std::string find_fault(const Tree& tree);

// A tree in the notation of the tree-construction tests (html5lib and web-platform-tests): one node a line,
// two spaces a level. For tests only.

// The children of `root` and all below them.
std::string dump(const Tree& tree, NodeId root);

}  // namespace quarry::html
