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

}  // namespace

void append_encoded(std::string_view text, EncodeSet set, std::string& out) {
    const auto mask = static_cast<std::uint8_t>(set);
    std::size_t clean = 0;  // everything before it is written
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((encode_table[byte] & mask) == 0) continue;
        out.append(text, clean, i - clean);
        out += '%';
        out += hex_digits[byte >> 4];
        out += hex_digits[byte & 15];
        clean = i + 1;
    }
    out.append(text, clean);
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                            hex_digit(text[i + 2]) >= 0;
        if (!escape) {
            out += text[i];
            continue;
        }
        out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
        i += 2;
    }
    return out;
}

}  // namespace quarry::url
