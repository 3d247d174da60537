// Writes the selected part of a tree as text without any markup, for readers and programs that want words
// only.
#pragma once

#include <string>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract {

// A blank line between paragraphs, "- " or a number before list items, cells separated by tabs, code as it
// stands. Pure; linear in the size of the tree. Ends with one newline, or is "".
std::string to_plain_text(const html::Tree& tree, const Selection& selection);

}  // namespace quarry::extract
