// Text written into HTML so that a parser reads the same text again.
#pragma once

#include <string>
#include <string_view>

namespace quarry::extract {

void append_text(std::string& html, std::string_view text);
// For values between double quotes.
void append_attribute_value(std::string& html, std::string_view value);

}  // namespace quarry::extract
