// UTF-8 as hostile bytes: counting what is valid, and replacing what is not the way browsers do (one U+FFFD
// for each maximal subpart of an ill-formed sequence, the practice of the Unicode and Encoding standards).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::html {

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

}  // namespace quarry::html
