// The promises of tree.h, checked for a whole tree. For tests and fuzzing.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::html {

// The first promise that the tree breaks, as a sentence; "" if it keeps them all.
std::string find_fault(const Tree& tree);

}  // namespace quarry::html
