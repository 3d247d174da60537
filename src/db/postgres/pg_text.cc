#include "db/postgres/pg_text.h"

#include <cstdint>
#include <cstring>

#include "base/ascii.h"

namespace quarry::db {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The length of the character at the beginning; 0 if there is none. Neither overlong forms nor surrogates
// are characters (RFC 3629, section 4).
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return lead == 0 ? 0 : 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if (!is_utf8_continuation(text[at])) return 0;
    }
    const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool is_too_great = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return is_overlong || is_too_great ? 0 : length;
}

// How much of the beginning can be held. Eight bytes at a time, since most text is ASCII.
std::size_t good_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t word = 0;
        while (at + sizeof word <= text.size()) {
            std::memcpy(&word, text.data() + at, sizeof word);
            // Some byte is above 0x7F, or is zero.
            const std::uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
            if ((word & high) != 0 || ((word - ones) & ~word & high) != 0) break;
            at += sizeof word;
        }
        if (at == text.size()) break;
        const std::size_t length = character_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return at;
}

}  // namespace

bool is_pg_text(std::string_view text) {
    return good_prefix(text) == text.size();
}

std::string to_pg_text(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (true) {
        const std::size_t good = good_prefix(text);
        clean += text.substr(0, good);
        if (good == text.size()) return clean;
        clean += replacement;
        text.remove_prefix(good + 1);
    }
}

}  // namespace quarry::db
