// A word as it was typed, with all that belongs to it: std::vector, node.js, --long-flag, C++17, 3.11,
// don't. And what else it should be found as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/terms/word_forms.h"

namespace quarry::text {

// Of a byte of a compound's letters: where in the text the letter is that it came from.
struct LetterOrigin {
    std::uint32_t begin = 0, end = 0;
    bool begins_part = false;  // as B in fooBar
};

// Its letters folded, with the signs that join them.
struct Compound {
    std::string letters{};
    std::vector<LetterOrigin> origins{};  // one for each byte
    bool has_humps = false;               // some begin a part
    bool is_plain = true;                 // no sign among them
    std::uint32_t end = 0;                // where in the text to go on

    void clear();
    void append(std::string_view folded, std::uint32_t begin, std::uint32_t end);
    void keep(std::size_t from, std::size_t to);
};

// A range of its letters.
struct CompoundPart {
    std::uint32_t begin = 0, end = 0;
    bool is_part = false;
};

// How the text is written, of what matters here.
struct CompoundContext {
    std::string_view text{};
    bool has_escapes = true;  // a backslash makes a sign of markdown a mere sign
};

// Reads the compound at `at`, where a letter, a digit, or a sign that may begin one stands. Its letters are
// empty if there is none. Always moves on. At most a kilobyte is read as one compound.
void read_compound(const CompoundContext& context, std::uint32_t at, LetterFolder& folder,
                   Compound& compound);

// The compound as a whole, then its parts, by begin. May append to the letters what is found in it but is
// not a range of them.
void split_compound(Compound& compound, std::vector<CompoundPart>& parts);

}  // namespace quarry::text
