#include "base/printable.h"

#include <cstdint>

#include "base/ascii.h"

namespace quarry {
namespace {

struct Character {
    std::size_t bytes = 1;
    char32_t code = 0;
    bool is_valid = false;
};

// The first character of a text that is not empty (Unicode, table 3-7). What begins no valid one is one byte.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, lead, true};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
    char32_t code = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if (!is_utf8_continuation(text[i])) return {};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
    return {bytes, code, true};
}

bool is_obeyed(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

// The bytes of a colour at the beginning of the text; 0 if there is none.
std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    std::size_t end = 2;
    while (end < text.size() && end < 5 && is_ascii_digit(text[end])) ++end;
    return end > 2 && end < text.size() && text[end] == 'm' ? end + 1 : 0;
}

enum class Shape { line, lines };

std::string cleaned(std::string_view text, Shape shape) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_character(text);
        std::size_t taken = character.bytes;
        const std::size_t colour = shape == Shape::lines ? colour_length(text) : 0;
        const bool is_layout = shape == Shape::lines && (text[0] == '\n' || text[0] == '\t');
        if (colour > 0) taken = colour;
        if (!character.is_valid)
            safe += '?';
        else if (colour == 0 && !is_layout && is_obeyed(character.code))
            safe.append(taken, ' ');
        else
            safe += text.substr(0, taken);
        text.remove_prefix(taken);
    }
    return safe;
}

}  // namespace

std::string printable(std::string_view text) {
    return cleaned(text, Shape::line);
}

std::string printable_lines(std::string_view text) {
    return cleaned(text, Shape::lines);
}

std::string as_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_character(text);
        valid += character.is_valid ? text.substr(0, character.bytes) : std::string_view("\xEF\xBF\xBD");
        text.remove_prefix(character.bytes);
    }
    return valid;
}

}  // namespace quarry
