// Which language a code block is in, from the names that highlighters leave on it.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::extract::markdown {

// The language for a fence's info string ("python", "cpp"), or "" if the page does not say. Looks at the
// element, at what it holds and at what is closely around it.
std::string code_language(const html::Tree& tree, html::NodeId block);

}  // namespace quarry::extract::markdown
