// Text of a page as one tidy line: what titles, names, link texts and meta values need before anyone shows
// them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "html/tree.h"

namespace quarry::extract {

// Runs of white space (no-break and ideographic spaces too) become one space, control characters and
// zero-width marks go, the ends are trimmed. At most `max_bytes`, cut between characters.
std::string one_line(std::string_view text, std::size_t max_bytes);

// The same of all text below a node. Scripts, styles and inert templates are not text. Reads no further than
// the line needs, so that a page of nested links costs no more than its size times a constant.
std::string text_line(const html::Tree& tree, html::NodeId id, std::size_t max_bytes);

// The same of text that was meant to be plain but often is HTML: titles in feeds, names in JSON-LD
// ("Q&amp;A").
std::string line_of_html(std::string_view text, std::size_t max_bytes);

}  // namespace quarry::extract
