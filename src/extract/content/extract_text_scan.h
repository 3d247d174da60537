// One pass over text, counting what tells prose from menus: words, sentence ends, commas, digits, separators.
#pragma once

#include <cstdint>
#include <string_view>

#include "extract/content/text_scan.h"

namespace quarry::extract {

enum class InLink : std::uint8_t { no, yes };

// Adds the counts of this piece of text to the result. Words do not continue from one piece to the next. What
// counts as a word differs a little from the hashes: there, letters beyond ASCII are never taken for symbols.
void scan_text(std::string_view text, InLink in_link, const ScanResult& result);

// True if there is nothing but ASCII white space and no-break spaces.
bool is_blank_throughout(std::string_view text);
inline bool is_blank(std::string_view text) {
    const bool begins_visibly = !text.empty() && text.front() > ' ';
    return !begins_visibly && is_blank_throughout(text);
}

}  // namespace quarry::extract
