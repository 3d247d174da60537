// Bytes of each encoding to UTF-8. UTF-8 itself is checked as hostile bytes and repaired the way browsers
// do it (one U+FFFD for each maximal subpart of an ill-formed sequence). Encodings that are not Unicode's
// own go through a table of 128 characters, or through ICU with the error handling of the Encoding
// Standard.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "html/encoding/labels.h"

namespace quarry::html {

// UTF-8 as hostile bytes: counting what is valid, and replacing what is not the way browsers do (one U+FFFD
// for each maximal subpart of an ill-formed sequence, the practice of the Unicode and Encoding standards).

struct Utf8Census {
    std::size_t sequences = 0;  // well-formed characters of two bytes or more
    std::size_t invalid = 0;    // ill-formed subparts: how many U+FFFD a repair would write

    bool is_valid() const { return invalid == 0; }
    bool is_ascii() const { return sequences == 0 && invalid == 0; }
};

// Linear; reads ASCII at memory speed.
Utf8Census count_utf8(std::string_view bytes);

// A copy in which each ill-formed subpart is U+FFFD.
std::string repair_utf8(std::string_view bytes);

enum class ByteOrder : bool { little, big };

// UTF-16 code units as bytes to UTF-8. Lone surrogates and an odd last byte become U+FFFD and set
// `had_errors`, which is otherwise left as it was.
std::string utf16_to_utf8(std::string_view bytes, ByteOrder order, bool& had_errors);

void append_utf8(std::string& text, char32_t code_point);

// Decoders of every encoding that is not Unicode's own. Single bytes go through a table of 128 characters;
// the multi-byte ones through ICU, with the error handling of the Encoding Standard.

struct LegacyText {
    std::string text;
    std::size_t errors = 0;  // how many U+FFFD were written
};

// For single-byte encodings, the Chinese, Japanese and Korean ones, `replacement` and `x_user_defined`.
// Output is at most three times the input.
LegacyText decode_legacy(std::string_view bytes, Encoding encoding);

}  // namespace quarry::html
