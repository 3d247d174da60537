#include "url/percent.h"

namespace quarry::url {

namespace {

using Table = std::array<std::uint8_t, 256>;

constexpr void add(Table& table, std::string_view characters, unsigned sets) {
    for (const char c : characters) table[static_cast<unsigned char>(c)] |= static_cast<std::uint8_t>(sets);
}

// Bit s of entry b says that byte b is in set s: one lookup per byte, whatever the set.
constexpr Table build_table() {
    constexpr unsigned fragment = 2, query = 4, special_query = 8, path = 16, userinfo = 32;
    constexpr unsigned queries = query | special_query;
    Table table{};
    for (unsigned b = 0; b < 256; ++b) {
        if (b < 0x20 || b > 0x7E) table[b] = 0xFF;
    }
    add(table, " \"<>", fragment | queries | path | userinfo);
    add(table, "#", queries | path | userinfo);
    add(table, "'", special_query);
    add(table, "`", fragment | path | userinfo);
    add(table, "?^{}", path | userinfo);
    add(table, "/:;=@[\\]|", userinfo);
    return table;
}

constexpr Table encode_table = build_table();
constexpr std::string_view hex_digits = "0123456789ABCDEF";

// The byte that the escape at `text[at]` stands for, or -1 if there is none.
int escaped_byte(std::string_view text, std::size_t at) {
    if (text[at] != '%' || at + 2 >= text.size()) return -1;
    const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool is_unreserved(int byte) {
    const int lower = byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' ||
           byte == '_' || byte == '~';
}

void append_escape(unsigned byte, std::string& out) {
    out += '%';
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

}  // namespace

void append_encoded(std::string_view text, EncodeSet set, std::string& out) {
    const auto mask = static_cast<std::uint8_t>(set);
    const char* clean = text.data();  // everything before it is written
    for (const char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((encode_table[byte] & mask) == 0) continue;
        out += std::string_view(clean, &c);
        append_escape(byte, out);
        clean = &c + 1;
    }
    out += std::string_view(clean, text.data() + text.size());
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int byte = escaped_byte(text, i);
        out += byte < 0 ? text[i] : static_cast<char>(byte);
        if (byte >= 0) i += 2;
    }
    return out;
}

void append_normalised(std::string_view text, std::string& out) {
    // Behind a '%' that begins no escape two bytes stay encoded: "%2%65" must not become the escape "%2e".
    std::size_t decode_from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int byte = escaped_byte(text, i);
        if (byte < 0) {
            out += text[i];
            if (text[i] == '%') decode_from = out.size() + 2;
            continue;
        }
        if (is_unreserved(byte) && out.size() >= decode_from) {
            out += static_cast<char>(byte);
        } else {
            append_escape(static_cast<unsigned>(byte), out);
        }
        i += 2;
    }
}

}  // namespace quarry::url
