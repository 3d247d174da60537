// The quick half of text_scan: the stretches of a text that are plain ASCII, 64 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "extract/content/blocks.h"
#include "extract/content/extract_vocabulary.h"

namespace quarry::extract {

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

}  // namespace quarry::extract
