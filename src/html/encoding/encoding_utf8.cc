#include "html/encoding/decoders.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "html/characters.h"

namespace quarry::html {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080;

std::uint64_t load_word(const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// The first place at or after `position` that holds no ASCII byte; the size if there is none. Four words a
// step, which compilers turn into vector instructions.
std::size_t skip_ascii(std::string_view bytes, std::size_t position) {
    const char* data = bytes.data();
    const std::size_t size = bytes.size();
    while (position + 32 <= size) {
        const std::uint64_t any = load_word(data + position) | load_word(data + position + 8) |
                                  load_word(data + position + 16) | load_word(data + position + 24);
        if ((any & high_bits) != 0) break;
        position += 32;
    }
    while (position + 8 <= size) {
        const std::uint64_t high = load_word(data + position) & high_bits;
        if (high != 0) return position + static_cast<std::size_t>(std::countr_zero(high)) / 8;
        position += 8;
    }
    while (position < size && static_cast<signed char>(data[position]) >= 0) ++position;
    return position;
}

struct Sequence {
    std::size_t size;  // of the character, or of the ill-formed subpart
    bool valid;
};

// What a lead byte promises: how many bytes follow, and the range of the first of them (it excludes overlong
// forms, surrogates and values above U+10FFFF).
struct Lead {
    unsigned char following;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
    if (byte < 0xC2) return {0};
    if (byte < 0xE0) return {1};
    if (byte == 0xE0) return {2, 0xA0, 0xBF};
    if (byte == 0xED) return {2, 0x80, 0x9F};
    if (byte < 0xF0) return {2};
    if (byte == 0xF0) return {3, 0x90, 0xBF};
    if (byte < 0xF4) return {3};
    if (byte == 0xF4) return {3, 0x80, 0x8F};
    return {0};
}

// Reads the sequence at `position`, which holds no ASCII byte.
Sequence sequence_at(std::string_view bytes, std::size_t position) {
    const Lead lead = lead_of(static_cast<unsigned char>(bytes[position]));
    if (lead.following == 0) return {1, false};
    unsigned char low = lead.low, high = lead.high;
    for (std::size_t i = 1; i <= lead.following; ++i) {
        if (position + i == bytes.size()) return {i, false};
        const auto byte = static_cast<unsigned char>(bytes[position + i]);
        if (byte < low || byte > high) return {i, false};
        low = 0x80, high = 0xBF;
    }
    return {lead.following + std::size_t{1}, true};
}

bool is_high_surrogate(char32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(char32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

Utf8Census count_utf8(std::string_view bytes) {
    Utf8Census census;
    for (std::size_t position = skip_ascii(bytes, 0); position < bytes.size();) {
        const Sequence sequence = sequence_at(bytes, position);
        ++(sequence.valid ? census.sequences : census.invalid);
        position += sequence.size;
        // Text in other scripts comes in runs: ask before scanning.
        if (position < bytes.size() && static_cast<signed char>(bytes[position]) >= 0) {
            position = skip_ascii(bytes, position);
        }
    }
    return census;
}

std::string repair_utf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    std::size_t copied = 0;
    for (std::size_t position = skip_ascii(bytes, 0); position < bytes.size();) {
        const Sequence sequence = sequence_at(bytes, position);
        if (!sequence.valid) {
            text.append(bytes, copied, position - copied);
            text += replacement_character;
            copied = position + sequence.size;
        }
        position = skip_ascii(bytes, position + sequence.size);
    }
    text.append(bytes, copied);
    return text;
}

void append_utf8(std::string& text, char32_t code_point) {
    const auto byte = [](char32_t value) { return static_cast<char>(value); };
    if (code_point < 0x80) {
        text += byte(code_point);
    } else if (code_point < 0x800) {
        text += byte(0xC0 | code_point >> 6);
        text += byte(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        text += byte(0xE0 | code_point >> 12);
        text += byte(0x80 | (code_point >> 6 & 0x3F));
        text += byte(0x80 | (code_point & 0x3F));
    } else {
        text += byte(0xF0 | code_point >> 18);
        text += byte(0x80 | (code_point >> 12 & 0x3F));
        text += byte(0x80 | (code_point >> 6 & 0x3F));
        text += byte(0x80 | (code_point & 0x3F));
    }
}

std::string utf16_to_utf8(std::string_view bytes, ByteOrder order, bool& had_errors) {
    const auto unit_at = [&](std::size_t position) -> char32_t {
        const auto first = static_cast<unsigned char>(bytes[position]);
        const auto second = static_cast<unsigned char>(bytes[position + 1]);
        return order == ByteOrder::little ? second << 8 | first : first << 8 | second;
    };
    std::string text;
    text.reserve(bytes.size() / 2 + bytes.size() / 8);
    std::size_t position = 0;
    for (; position + 2 <= bytes.size(); position += 2) {
        char32_t unit = unit_at(position);
        if (is_high_surrogate(unit) && position + 4 <= bytes.size() &&
            is_low_surrogate(unit_at(position + 2))) {
            position += 2;
            unit = 0x10000 + ((unit - 0xD800) << 10) + (unit_at(position) - 0xDC00);
        } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
            unit = 0xFFFD;
            had_errors = true;
        }
        append_utf8(text, unit);
    }
    if (position < bytes.size()) {
        text += replacement_character;
        had_errors = true;
    }
    return text;
}

}  // namespace quarry::html
