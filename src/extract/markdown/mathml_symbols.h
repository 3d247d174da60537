// TeX's names for the characters of MathML.
#pragma once

#include <cstddef>
#include <string_view>

namespace quarry::extract {

// The bytes of the first character of `text`; at least 1.
std::size_t tex_symbol_length(std::string_view text);

// The TeX for a character that needs one ("∑" -> "\sum"), or "" if it stands for itself.
std::string_view tex_symbol(std::string_view character);

// The TeX command for an accent above something ("¯" -> "\bar"), or "".
std::string_view tex_accent(std::string_view character);

// True for the names that TeX sets upright by a command: sin, log, lim …
bool is_tex_function(std::string_view name);

}  // namespace quarry::extract
