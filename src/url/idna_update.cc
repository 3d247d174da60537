#include "url/idna_update.h"

#include <cstdint>

#include <unicode/utf8.h>

namespace quarry::url {

namespace {

// Characters first..last become first + offset and so on, or nothing.
struct Range {
    char32_t first, last;
    char32_t first_target;  // 0: left out
};

constexpr Range newer_mappings[] = {
    {0x04C0, 0x04C0, 0x04CF},    // palochka
    {0x10A0, 0x10C5, 0x2D00},    // Georgian capitals
    {0x115F, 0x1160, 0},         // Hangul fillers
    {0x17B4, 0x17B5, 0},         // Khmer inherent vowels
    {0x180E, 0x180E, 0},         // Mongolian vowel separator
    {0x1E9E, 0x1E9E, 0x00DF},    // capital sharp s: to ß, no longer to ss
    {0x206A, 0x206F, 0},         // deprecated format characters
    {0x2132, 0x2132, 0x214E},    // turned F
    {0x2183, 0x2183, 0x2184},    // reversed C
    {0x3164, 0x3164, 0},         // Hangul filler
    {0xFFA0, 0xFFA0, 0},         // halfwidth Hangul filler
    {0x1D173, 0x1D17A, 0},       // musical beams and slurs
    {0x2F868, 0x2F868, 0x36FC},  // CJK compatibility ideographs whose first mappings were errors
    {0x2F874, 0x2F874, 0x5F53}, {0x2F91F, 0x2F91F, 0x243AB},
    {0x2F95F, 0x2F95F, 0x7AEE}, {0x2F9BF, 0x2F9BF, 0x45D7},
};

const Range* find_mapping(char32_t character) {
    for (const Range& range : newer_mappings) {
        if (character >= range.first && character <= range.last) return &range;
    }
    return nullptr;
}

void append_utf8(char32_t character, std::string& out) {
    char buffer[U8_MAX_LENGTH];
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(buffer, size, character);
    out.append(buffer, static_cast<std::size_t>(size));
}

}  // namespace

std::string with_newer_mappings(std::string_view domain) {
    std::string mapped;
    const auto size = static_cast<std::int32_t>(domain.size());
    for (std::int32_t at = 0; at < size;) {
        const std::int32_t start = at;
        UChar32 character = 0;
        U8_NEXT(domain.data(), at, size, character);  // NOLINT: ICU's macro
        const Range* range = character < 0 ? nullptr : find_mapping(static_cast<char32_t>(character));
        if (range == nullptr) {
            mapped += domain.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(at - start));
        } else if (range->first_target != 0) {
            append_utf8(range->first_target + (static_cast<char32_t>(character) - range->first), mapped);
        }
    }
    return mapped;
}

}  // namespace quarry::url
