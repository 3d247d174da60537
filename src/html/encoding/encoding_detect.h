// Guessing an encoding from the bytes alone, for pages that name none or lie about it.
#pragma once

#include <optional>
#include <string_view>

#include "html/encoding/labels.h"

namespace quarry::html {

// UTF-16 or ISO-2022-JP, whose bytes are all below 0x80 in a page about nothing foreign.
std::optional<Encoding> detect_seven_bit_encoding(std::string_view bytes);

// A legacy encoding or UTF-16 that the bytes look like; nothing when there is too little to tell. Reads a
// bounded sample: the same cost for 100 KB and for 100 MB, but for finding the sample. Never UTF-8: ask
// count_utf8 for that.
std::optional<Encoding> detect_encoding(std::string_view bytes);

}  // namespace quarry::html
