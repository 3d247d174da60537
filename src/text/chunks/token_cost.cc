// Fitted to what three real tokenizers make of texts of 2,000 letters: BERT's English word pieces (what bge
// and most small embedders use), and OpenAI's cl100k and o200k. Estimate divided by count, mean of 10 to 126
// texts:
//
//   abstracts              1.22  1.25  1.27        Russian     0.70  1.41  2.19
//   Node.js documentation  1.08  1.34  1.33        Chinese     1.09  1.13  1.51
//   C++                    1.08  1.41  1.40        Japanese    1.18  1.16  1.57
//   Python                 1.06  1.32  1.31        Korean      0.60  1.02  1.66
//   French                 0.98  1.23  1.41        German      0.80  1.08  1.27
//
// It errs towards too many, since a text that is too long is refused or cut off. It is too low only where an
// English model spells out a language that it does not know. The other languages are Debian's translations.
#include "text/chunks/token_cost.h"

#include <array>

#include "text/chunks/chunk_markdown.h"

namespace quarry::text {
namespace {

constexpr std::uint64_t word_cost = 12;  // besides its letters

constexpr bool is_letter(unsigned byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

constexpr std::uint8_t byte_cost(unsigned byte) {
    if (is_letter(byte)) return 2;
    if (byte >= '0' && byte <= '9') return 10;
    if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') return 1;
    if (byte < 0x80) return 16;                  // punctuation
    if (byte < 0xC0) return 1;                   // the rest of a letter
    if (byte >= 0xD0 && byte <= 0xD3) return 9;  // Cyrillic
    if (byte < 0xE0) return 15;                  // accents, Greek, Hebrew, Arabic
    return byte < 0xF0 ? 16 : 29;                // CJK, Thai, Indic; emoji
}

constexpr auto costs = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) table[byte] = byte_cost(byte);
    return table;
}();

constexpr auto is_letter_byte = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) table[byte] = is_letter(byte);
    return table;
}();

}  // namespace

std::uint64_t token_cost(std::string_view text) {
    std::uint64_t cost = 0, words = 0;
    std::uint8_t before = 0;
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        cost += costs[byte];
        words += is_letter_byte[byte] & ~before;
        before = is_letter_byte[byte];
    }
    return cost + words * word_cost;
}

int estimate_tokens(std::string_view text) {
    constexpr std::uint64_t most = 0x7FFFFFFF;
    const std::uint64_t tokens = (token_cost(text) + cost_per_token - 1) / cost_per_token;
    return static_cast<int>(tokens < most ? tokens : most);
}

}  // namespace quarry::text
