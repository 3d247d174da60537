#include "html/encoding/decoders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

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

namespace {

constexpr char16_t unmapped = 0xFFFD;

struct CloseConverter {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

Converter open_converter(Encoding encoding) {
    UErrorCode error = U_ZERO_ERROR;
    Converter converter(ucnv_open(icu_converter_name(encoding), &error));
    return U_SUCCESS(error) ? std::move(converter) : nullptr;
}

using UpperHalf = std::array<char16_t, 128>;  // the characters of bytes 0x80 to 0xFF

// Where the standard's tables differ from ICU's. ICU was compared with them byte by byte; this is all.
struct Difference {
    Encoding encoding;
    unsigned char byte;
    char16_t character;
};
constexpr Difference differences[] = {
    {Encoding::koi8_u, 0xAE, u'ў'},
    {Encoding::koi8_u, 0xBE, u'Ў'},
    {Encoding::windows_1253, 0xAA, unmapped},
    {Encoding::windows_1255, 0xCA, 0x05BA},
};

constexpr char16_t windows_1252_controls[] = u"€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

// ICU has no converter for it.
constexpr char16_t iso_8859_16_letters[] =
    u"\u00A0ĄąŁ€„Š§š©Ș«Ź\u00ADźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûü"
    u"ęțÿ";
static_assert(std::size(windows_1252_controls) == 32 + 1 && std::size(iso_8859_16_letters) == 96 + 1);

UpperHalf identity_table() {
    UpperHalf table;
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<char16_t>(0x80 + i);
    return table;
}

UpperHalf table_from_icu(Encoding encoding) {
    UpperHalf table = identity_table();
    const Converter converter = open_converter(encoding);
    if (!converter) return table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const char byte = static_cast<char>(0x80 + i);
        const char* source = &byte;
        UErrorCode error = U_ZERO_ERROR;
        const UChar32 character = ucnv_getNextUChar(converter.get(), &source, source + 1, &error);
        // Bytes without a meaning are C1 controls below 0xA0 and errors above. Some of ICU's tables give them
        // characters for private use instead; only Apple's logo is one for real.
        const bool is_private = character >= 0xE000 && character < 0xF8FF;
        if (U_FAILURE(error) || character == unmapped || is_private) {
            table[i] = i < 0x20 ? static_cast<char16_t>(0x80 + i) : unmapped;
        } else {
            table[i] = static_cast<char16_t>(character);
        }
    }
    for (const Difference& difference : differences) {
        if (difference.encoding == encoding) table[difference.byte - 0x80] = difference.character;
    }
    return table;
}

UpperHalf upper_half(Encoding encoding) {
    if (encoding != Encoding::windows_1252 && encoding != Encoding::iso_8859_16) {
        return table_from_icu(encoding);
    }
    UpperHalf table = identity_table();
    if (encoding == Encoding::windows_1252) {
        std::copy_n(windows_1252_controls, 32, table.begin());
    } else {
        std::copy_n(iso_8859_16_letters, 96, table.begin() + 32);
    }
    return table;
}

// A byte's character in UTF-8. The fourth place holds its size, so that all four are copied at once and the
// rest overwritten.
using Spelling = std::array<char, 4>;

std::array<Spelling, 256> spellings_of(const UpperHalf& table) {
    std::array<Spelling, 256> spellings{};
    for (std::size_t byte = 0; byte < spellings.size(); ++byte) {
        std::string character;
        append_utf8(character, byte < 0x80 ? static_cast<char16_t>(byte) : table[byte - 0x80]);
        std::copy(character.begin(), character.end(), spellings[byte].begin());
        spellings[byte][3] = static_cast<char>(character.size());
    }
    return spellings;
}

LegacyText decode_single_bytes(std::string_view bytes, Encoding encoding) {
    const UpperHalf table = upper_half(encoding);
    const auto spellings = spellings_of(table);
    std::array<std::size_t, 256> counts{};
    for (const char c : bytes) ++counts[static_cast<unsigned char>(c)];
    LegacyText result;
    std::size_t size = 0;
    for (std::size_t byte = 0; byte < counts.size(); ++byte) {
        size += counts[byte] * static_cast<std::size_t>(spellings[byte][3]);
        if (byte >= 0x80 && table[byte - 0x80] == unmapped) result.errors += counts[byte];
    }
    result.text.resize_and_overwrite(size + sizeof(Spelling), [&](char* out, std::size_t) {
        for (const char c : bytes) {
            const Spelling& spelling = spellings[static_cast<unsigned char>(c)];
            std::memcpy(out, spelling.data(), spelling.size());
            out += spelling[3];
        }
        return size;
    });
    return result;
}

struct ErrorContext {
    Encoding encoding;
    std::size_t errors = 0;
};

void write_character(UConverterToUnicodeArgs* arguments, char16_t character, UErrorCode* error) {
    ucnv_cbToUWriteUChars(arguments, &character, 1, 0, error);
}

// Called by ICU for bytes that mean nothing. ICU's own substitution writes U+001A for some of them, and
// swallows an ASCII byte behind a lead byte, which would hide a '<' from the parser.
void replace_invalid(const void* context, UConverterToUnicodeArgs* arguments, const char* bytes,
                     std::int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
    if (reason > UCNV_IRREGULAR) return;  // the converter is being reset or closed
    *error = U_ZERO_ERROR;
    auto& state = *static_cast<ErrorContext*>(const_cast<void*>(context));
    const bool lone_0x80 = length == 1 && static_cast<unsigned char>(bytes[0]) == 0x80;
    const bool is_chinese = state.encoding == Encoding::gbk || state.encoding == Encoding::gb18030;
    if (lone_0x80 && is_chinese) return write_character(arguments, u'€', error);
    if (lone_0x80 && state.encoding == Encoding::shift_jis) return write_character(arguments, 0x80, error);
    ++state.errors;
    write_character(arguments, unmapped, error);
    if (length == 2 && static_cast<unsigned char>(bytes[1]) < 0x80) {
        write_character(arguments, static_cast<char16_t>(bytes[1]), error);
    }
}

LegacyText decode_with_icu(std::string_view bytes, Encoding encoding) {
    LegacyText result;
    const Converter converter = open_converter(encoding);
    // Only a broken ICU installation lacks these converters. The text is then better half read than lost.
    if (!converter) return decode_single_bytes(bytes, Encoding::windows_1252);
    ErrorContext context{encoding};
    UErrorCode error = U_ZERO_ERROR;
    ucnv_setToUCallBack(converter.get(), replace_invalid, &context, nullptr, nullptr, &error);
    result.text.reserve(bytes.size() + bytes.size() / 2);
    std::array<char16_t, 8192> units;
    const char* source = bytes.data();
    const char* const end = source + bytes.size();
    bool ignored = false;  // ICU writes no lone surrogates
    do {
        error = U_ZERO_ERROR;
        char16_t* target = units.data();
        ucnv_toUnicode(converter.get(), &target, target + units.size(), &source, end, nullptr, true, &error);
        const auto size = static_cast<std::size_t>(target - units.data()) * sizeof(char16_t);
        result.text += utf16_to_utf8(
            {reinterpret_cast<const char*>(units.data()), size},
            std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big, ignored);
    } while (error == U_BUFFER_OVERFLOW_ERROR);
    result.errors = context.errors;
    return result;
}

LegacyText decode_user_defined(std::string_view bytes) {
    LegacyText result;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append_utf8(result.text, byte < 0x80 ? byte : 0xF700u + byte);
    }
    return result;
}

}  // namespace

LegacyText decode_legacy(std::string_view bytes, Encoding encoding) {
    if (encoding == Encoding::x_user_defined) return decode_user_defined(bytes);
    if (encoding == Encoding::replacement) {
        return bytes.empty() ? LegacyText{}
                             : LegacyText{.text = std::string(replacement_character), .errors = 1};
    }
    return is_single_byte(encoding) ? decode_single_bytes(bytes, encoding) : decode_with_icu(bytes, encoding);
}

}  // namespace quarry::html
