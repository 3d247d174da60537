#include "html/character_reference.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "html/characters.h"

namespace quarry::html {

namespace {

struct NamedReference {
    std::string_view name;
    std::string_view characters;
};

constexpr NamedReference named_references[] = {
#include "html/entities.inc"
};
constexpr std::size_t named_reference_count = std::size(named_references);

// Where the names that begin with each letter start; the last entry is the end of the table.
constexpr auto first_with_letter = [] {
    std::array<std::uint16_t, 129> starts{};
    std::size_t at = 0;
    for (std::size_t letter = 0; letter < starts.size(); ++letter) {
        while (at < named_reference_count &&
               static_cast<unsigned char>(named_references[at].name[0]) < letter) {
            ++at;
        }
        starts[letter] = static_cast<std::uint16_t>(at);
    }
    return starts;
}();

// The longest name that `text` begins with, or nothing. The table is sorted, so the names that agree with the
// text so far are a range that each further character narrows.
const NamedReference* find_longest_name(std::string_view text) {
    if (text.empty() || static_cast<unsigned char>(text[0]) >= 128) return nullptr;
    const auto letter = static_cast<unsigned char>(text[0]);
    const NamedReference* low = named_references + first_with_letter[letter];
    const NamedReference* high = named_references + first_with_letter[letter + 1U];
    const NamedReference* longest = nullptr;
    for (std::size_t length = 1; low != high; ++length) {
        if (low->name.size() == length) longest = low++;
        if (length == text.size()) break;
        const char next = text[length];
        low = std::partition_point(low, high, [&](const auto& entry) { return entry.name[length] < next; });
        high = std::partition_point(low, high, [&](const auto& entry) { return entry.name[length] == next; });
    }
    return longest;
}

CharacterReference named_reference(std::string_view source, ReferenceContext context) {
    const NamedReference* found = find_longest_name(source.substr(1));
    if (found == nullptr) return {};
    const std::size_t length = 1 + found->name.size();
    if (context == ReferenceContext::attribute && found->name.back() != ';' && length < source.size() &&
        (source[length] == '=' || is_alphanumeric(source[length]))) {
        return {};
    }
    CharacterReference reference{.source_bytes = length, .size = found->characters.size()};
    std::memcpy(reference.characters, found->characters.data(), found->characters.size());
    return reference;
}

// What browsers made of references to the C1 controls: windows-1252.
constexpr std::uint16_t c1_replacements[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

std::uint32_t scalar_value(std::uint32_t code) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code == 0 || code > 0x10FFFF || surrogate) return 0xFFFD;
    if (code >= 0x80 && code <= 0x9F) return c1_replacements[code - 0x80];
    return code;
}

std::size_t encode_utf8(std::uint32_t code, char* out) {
    if (code < 0x80) {
        out[0] = static_cast<char>(code);
        return 1;
    }
    const std::size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (std::size_t i = length - 1; i > 0; --i) {
        out[i] = static_cast<char>(0x80 | (code & 0x3F));
        code >>= 6;
    }
    constexpr unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = static_cast<char>(leads[length] | code);
    return length;
}

int digit_value(char c, bool hexadecimal) {
    if (is_digit(c)) return c - '0';
    const char lower = to_lower(c);
    return hexadecimal && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

CharacterReference numeric_reference(std::string_view source) {
    const bool hexadecimal = source.size() > 2 && to_lower(source[2]) == 'x';
    const std::size_t first = hexadecimal ? 3 : 2;
    std::size_t at = first;
    std::uint32_t code = 0;
    for (; at < source.size(); ++at) {
        const int digit = digit_value(source[at], hexadecimal);
        if (digit < 0) break;
        // Past the last code point only "too large" matters, and the number must not wrap around.
        code = std::min<std::uint32_t>(code * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit),
                                       0x110000);
    }
    if (at == first) return {};
    if (at < source.size() && source[at] == ';') ++at;
    CharacterReference reference{.source_bytes = at};
    reference.size = encode_utf8(scalar_value(code), reference.characters);
    return reference;
}

}  // namespace

CharacterReference read_character_reference(std::string_view source, ReferenceContext context) {
    if (source.size() < 2) return {};
    return source[1] == '#' ? numeric_reference(source) : named_reference(source, context);
}

}  // namespace quarry::html
