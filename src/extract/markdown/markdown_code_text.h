// The text of a code block, as it was before a highlighter wrapped it in elements.
#pragma once

#include <string>

#include "extract/extract_selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

// Appends the code below `id`: indentation as it is, one line per line, without line numbers and buttons,
// without empty lines at the end. True if there were elements beside a plain <code>.
bool append_code_text(const html::Tree& tree, const Selection& selection, html::NodeId id, std::string& out);

}  // namespace quarry::extract::markdown
