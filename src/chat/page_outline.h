// A page's elements as a model needs to see them to write selectors: tags, classes, ids and a little text,
// without scripts, styles and pictures' data.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::chat {

// At most about `bytes`; what is beyond is left out.
std::string page_outline(const html::Tree& tree, std::size_t bytes);

}  // namespace quarry::chat
