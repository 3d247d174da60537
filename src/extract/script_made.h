// Pages that are empty until a browser has run their scripts.
#pragma once

#include "html/tree.h"

namespace quarry::extract {

// True if the page loads scripts, shows next to no text of its own, and either has an empty element where a
// program will put the text, or says in <noscript> that it needs JavaScript. Linear.
bool is_made_by_scripts(const html::Tree& tree);

}  // namespace quarry::extract
