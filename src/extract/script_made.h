// Pages that are empty until a browser has run their scripts.
#pragma once

#include <cstdint>

#include "html/tree.h"

namespace quarry::extract {

enum class ScriptMade : std::uint8_t {
    no,
    mostly,    // next to no text of its own
    entirely,  // no text of its own at all
};

// A page is made by scripts if it loads some, shows next to no text, and either has an element without any
// where a program will put the text, or says in <noscript> that it needs JavaScript. Such words are not its
// own text. Linear.
ScriptMade made_by_scripts(const html::Tree& tree);

}  // namespace quarry::extract
