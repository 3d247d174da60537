// Character references: `&amp;`, `&#38;`, `&#x26;`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::html {

enum class ReferenceContext : std::uint8_t {
    text,
    attribute,  // `&copy=1` stays as it is: old pages have it in the query of a link
};

// What a reference stands for and how long it is in the source.
struct CharacterReference {
    std::size_t source_bytes = 0;  // 0: not a reference, the ampersand is text
    std::size_t size = 0;
    char characters[8] = {};  // UTF-8

    std::string_view text() const { return {characters, size}; }
};

// Reads the reference that `source`, which begins with an ampersand, begins with.
CharacterReference read_character_reference(std::string_view source, ReferenceContext context);

}  // namespace quarry::html
