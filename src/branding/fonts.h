// Names of fonts, out of the lists that CSS has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarry::branding {

// "\"Open Sans\", Arial, sans-serif" to its names, in order, each once and at most twelve. Tools that build
// pages give fonts names of their own ("__Inter_d65c78", "Inter Fallback"): they are undone, and what stands
// in for a font until it has come is left out.
std::vector<std::string> font_stack(std::string_view list);

// "sans-serif", "system-ui": whatever the reader's machine has.
bool is_generic_font(std::string_view name);

// The first of the list that is a font, or else what is first; "" for an empty list.
std::string first_font(std::string_view list);

}  // namespace quarry::branding
