// One pass over text that counts what tells prose from menus: words, sentence ends, commas, digits,
// separators. Stretches of plain ASCII are scanned 64 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "extract/content/blocks.h"
#include "extract/content/vocabulary.h"

namespace quarry::extract {

// The quick half of text_scan: the stretches of a text that are plain ASCII, 64 bytes at a time.

// Where a scan writes what it finds.
struct ScanResult {
    const WordWeights& weights;
    TextCounts& counts;
    std::uint32_t*& next_word;  // hashes, in order; there is room for a word per two bytes, and one more
};

struct AsciiStretch {
    std::size_t end = 0;        // all before this place has been counted
    std::size_t resume_at = 0;  // what lies between is for others to count: it holds bytes beyond ASCII,
                                //   or a word that is longer than the stretch
};

// Counts what lies from `start` on, at most 64 bytes. Does not cut words, nor take the ASCII part of a word
// that has other letters too.
AsciiStretch scan_ascii(std::string_view text, std::size_t start, const ScanResult& result);

// One pass over text, counting what tells prose from menus: words, sentence ends, commas, digits, separators.

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
