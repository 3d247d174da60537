// How browsers lay elements out, as far as attributes and tags tell.
#pragma once

#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// True if the element starts a new line on the page. Unknown elements do: custom elements are mostly
// containers.
bool is_block_level(const html::Node& node);

// True if a class attribute says that the element is for screen readers only, or a picture made of letters
// (an icon font).
bool has_unseen_class(std::string_view classes);

}  // namespace quarry::extract
