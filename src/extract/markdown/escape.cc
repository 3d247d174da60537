#include "extract/markdown/escape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::extract::markdown {

namespace {

constexpr bool is_ascii_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// "&amp;", "&#38;", "&#x26;": what a markdown reader would turn into another character.
bool begins_entity(std::string_view text, std::size_t at) {
    std::size_t i = at + 1;
    if (i < text.size() && text[i] == '#') ++i;
    const std::size_t first = i;
    while (i < text.size() && i - first < 32 && is_ascii_alphanumeric(text[i])) ++i;
    return i > first && i < text.size() && text[i] == ';';
}

// White space at the end of a piece of text may be moved away by what follows.
bool is_blank_from(std::string_view text, std::size_t at) {
    return is_blank_text(text.substr(std::min(at, text.size())));
}

// The byte after the run of equal characters at text[at]; '\0' if it is not known.
char after_run(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_not_of(text[at], at), text.size());
    return is_blank_from(text, end) ? '\0' : text[end];
}

// A run of * or _ between spaces, and a _ inside a word, can neither open nor close emphasis.
bool delimiter_needs_backslash(std::string_view text, std::size_t at, char before) {
    const char after = after_run(text, at);
    if (after == '\0') return true;
    if ((before == '\0' || is_ascii_space(before)) && is_ascii_space(after)) return false;
    return text[at] == '*' || !is_ascii_alphanumeric(before) || !is_ascii_alphanumeric(after);
}

// A lone tilde is strikethrough only if it can close one: after something visible, and not between
// punctuation and a word (as in a URL's /~name). Two can meet those we write, and inside of strikethrough
// even one keeps them from being matched.
bool tilde_needs_backslash(std::string_view text, std::size_t at, const EscapeContext& context) {
    const char after = after_run(text, at);
    if (after == '\0' || context.in_strike || text.substr(at, 2) == "~~") return true;
    if (context.before == '\0' || is_ascii_space(context.before)) return false;
    return !is_ascii_punctuation(context.before) || !is_ascii_alphanumeric(after);
}

bool bracket_needs_backslash(std::string_view text, std::size_t at, bool in_link) {
    if (in_link) return true;
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '[') return next == '^';
    return next == '(' || next == '[' || next == ':';
}

}  // namespace

bool needs_backslash(std::string_view text, std::size_t at, const EscapeContext& context) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    switch (text[at]) {
        case '\\':
            return is_ascii_punctuation(next) || byte_class(next) == ByteClass::lead ||
                   is_blank_from(text, at + 1);
        case '`': return true;
        case '*':
        case '_': return delimiter_needs_backslash(text, at, context.before);
        case '~': return tilde_needs_backslash(text, at, context);
        case '[':
        case ']': return bracket_needs_backslash(text, at, context.in_link);
        case '<':
            return next == '\0' || next == '/' || next == '!' || next == '?' ||
                   (is_ascii_alphanumeric(next) && !is_ascii_digit(next));
        case '&': return begins_entity(text, at);
        case '$': return context.has_math;
        default: return false;
    }
}

Invisible read_invisible(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    const unsigned first = byte(0), second = byte(1), third = byte(2);
    if (first == 0xC2) {
        if (second == 0xA0 || second == 0x85) return {2, true};  // no-break space, next line
        if (second == 0xAD || second < 0xA0) return {2, false};  // soft hyphen, C1 controls
        return {};
    }
    if (first == 0xE2 && second == 0x80) {
        if (third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF) return {3, true};
        if (third == 0x8B || third == 0x8E || third == 0x8F)
            return {3, false};  // zero width, direction marks
        return {};
    }
    if (first == 0xE2 && second == 0x81) {
        if (third == 0x9F) return {3, true};
        if (third >= 0xA0 && third <= 0xA4) return {3, false};  // word joiner, invisible operators
        return {};
    }
    if (first == 0xE1 && second == 0x9A && third == 0x80) return {3, true};
    if (first == 0xE3 && second == 0x80 && third == 0x80) return {3, true};   // ideographic space
    if (first == 0xEF && second == 0xBB && third == 0xBF) return {3, false};  // byte order mark
    return {};
}

namespace {

bool consists_of(std::string_view line, std::string_view characters) {
    return line.find_first_not_of(characters) == std::string_view::npos;
}

bool space_or_end(std::string_view line, std::size_t at) {
    return at >= line.size() || line[at] == ' ' || line[at] == '\t';
}

// "1." and "2)" begin an ordered list, if a space or nothing follows.
std::size_t ordered_marker_escape(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits > 9 || digits == line.size()) return std::string_view::npos;
    if (line[digits] != '.' && line[digits] != ')') return std::string_view::npos;
    return space_or_end(line, digits + 1) ? digits : std::string_view::npos;
}

// "[ ] " and "[x] " at the beginning of an item.
bool begins_task(std::string_view line) {
    return (line.starts_with("[ ]") || line.starts_with("[x]") || line.starts_with("[X]")) &&
           space_or_end(line, 3);
}

// "[!NOTE]" alone on the first line of a quote.
bool begins_alert(std::string_view line) {
    if (!line.starts_with("[!")) return false;
    std::size_t end = 2;
    while (end < line.size() && is_ascii_alphanumeric(line[end])) ++end;
    return end > 2 && end + 1 == line.size() && line[end] == ']';
}

bool first_character_begins_block(std::string_view line, LinePlace place) {
    switch (line.front()) {
        case '>': return true;
        case '#': {
            const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
            return level <= 6 && space_or_end(line, level);
        }
        case '+':
        case '*': return space_or_end(line, 1);
        case '-': return space_or_end(line, 1) || consists_of(line, "-:| ");
        case '_': return consists_of(line, "_ ");
        case '=': return place == LinePlace::continuation && consists_of(line, "= ");
        case '|':
        case ':': return place == LinePlace::continuation && consists_of(line, "-:| ");
        case '~': return line.starts_with("~~~");
        case '[': return begins_task(line) || begins_alert(line);
        default: return false;
    }
}

}  // namespace

std::size_t line_start_escape(std::string_view line, LinePlace place) {
    if (line.empty()) return std::string_view::npos;
    if (is_ascii_digit(line.front())) return ordered_marker_escape(line);
    return first_character_begins_block(line, place) ? 0 : std::string_view::npos;
}

namespace {

bool is_misread_in_alternative_text(std::string_view text, std::size_t at) {
    const char before = at > 0 ? text[at - 1] : '\0';
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    switch (text[at]) {
        case '_': return !is_ascii_alphanumeric(before) || !is_ascii_alphanumeric(next);
        case '*':
        case '`':
        case '~':
        case '[':
        case ']': return true;
        case '\\':
        case '<':
        case '&': return needs_backslash(text, at, {});
        default: return false;
    }
}

// Calls `write` for every character that is kept, with white space collapsed to single spaces and trimmed.
template <typename Write>
void for_each_collapsed(std::string_view text, Write write) {
    bool space = false;
    bool empty = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const Invisible invisible = read_invisible(text, i);
        if (is_ascii_space(text[i]) || invisible.is_space) space = !empty;
        if (invisible.bytes > 0) i += invisible.bytes - 1;
        if (invisible.bytes > 0 || byte_class(text[i]) == ByteClass::space) continue;
        if (byte_class(text[i]) == ByteClass::dropped) continue;
        write(i, space);
        space = empty = false;
    }
}

}  // namespace

void append_alternative_text(std::string& out, std::string_view text) {
    for_each_collapsed(text, [&](std::size_t at, bool after_space) {
        if (after_space) out += ' ';
        if (is_misread_in_alternative_text(text, at)) out += '\\';
        out += text[at];
    });
}

namespace {

// Parentheses may stand in a destination as long as they are balanced; markdown readers allow 32 levels.
bool has_balanced_parentheses(std::string_view text) {
    int depth = 0;
    for (const char c : text) {
        if (c == '(' && ++depth > 8) return false;
        if (c == ')' && --depth < 0) return false;
    }
    return depth == 0;
}

}  // namespace

void append_destination(std::string& out, std::string_view destination) {
    const auto is_plain = [](char c) {
        return is_ascii_alphanumeric(c) || c == '/' || c == '.' || c == '-' || c == ':' || c == '#' ||
               c == '?' || c == '=' || c == '%' || c == '_' || c == '+';
    };
    if (!destination.empty() && std::ranges::all_of(destination, is_plain)) {
        out += destination;
        return;
    }
    const bool bracketed = destination.empty() || destination.front() == '<' ||
                           destination.find(' ') != std::string_view::npos ||
                           !has_balanced_parentheses(destination);
    const std::size_t start = out.size();
    if (bracketed) out += '<';
    for (std::size_t i = 0; i < destination.size(); ++i) {
        const char c = destination[i];
        if (byte_class(c) == ByteClass::dropped || (c != ' ' && is_ascii_space(c))) continue;
        const char next = i + 1 < destination.size() ? destination[i + 1] : '\0';
        if ((c == '\\' && is_ascii_punctuation(next)) || (bracketed && (c == '<' || c == '>'))) out += '\\';
        out += c;
        // Readers resolve entities before backslashes here, so an ampersand is written as one.
        if (c == '&' && begins_entity(destination, i)) out += "amp;";
    }
    if (bracketed) out += '>';
    if (destination.empty()) out.resize(start);
}

void append_title(std::string& out, std::string_view title) {
    const std::size_t start = out.size();
    for_each_collapsed(title, [&](std::size_t at, bool after_space) {
        if (out.size() == start) out += " \"";
        if (after_space) out += ' ';
        const char c = title[at];
        if (c == '"' || (c == '\\' && needs_backslash(title, at, {}))) out += '\\';
        out += c;
        if (c == '&' && begins_entity(title, at)) out += "amp;";
    });
    if (out.size() > start) out += '"';
}

namespace {

bool is_plain(char byte) {
    return byte_class(byte) == ByteClass::plain;
}

}  // namespace

std::size_t find_plain_end_slowly(std::string_view text, std::size_t start) {
    std::size_t at = start;
    const auto is_single_space = [&] {
        return text[at] == ' ' && at > start && at + 1 < text.size() && is_plain(text[at + 1]);
    };
    while (at < text.size() && (is_plain(text[at]) || is_single_space())) ++at;
    return at;
}

#if defined(__x86_64__)

namespace {

// Bytes are looked up by halves: bit n of an entry says that the half occurs in the n-th set of bytes that
// are not plain. A byte is one of them if its two halves have a set in common, which works as long as there
// are no more than eight sets, each of one upper half (or of all lower ones).
struct HalfTables {
    alignas(16) std::array<std::uint8_t, 16> lower{};
    alignas(16) std::array<std::uint8_t, 16> upper{};
};

constexpr HalfTables make_half_tables() {
    HalfTables tables;
    std::uint8_t set = 1;
    for (std::size_t upper = 0; upper < 16; ++upper) {
        bool is_used = false;
        for (std::size_t lower = 0; lower < 16; ++lower) {
            if (byte_classes[upper * 16 + lower] == ByteClass::plain) continue;
            tables.lower[lower] |= set;
            is_used = true;
        }
        if (!is_used) continue;
        tables.upper[upper] = set;
        // All bytes with the upper halves 0 and 1 are controls: they share the first set.
        if (upper != 0) set = static_cast<std::uint8_t>(set << 1);
    }
    return tables;
}

constexpr HalfTables half_tables = make_half_tables();

// Proves that the tables say the same as the classes.
constexpr bool tables_are_right() {
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const bool is_other = (half_tables.lower[byte % 16] & half_tables.upper[byte / 16]) != 0;
        if (is_other != (byte_classes[byte] != ByteClass::plain)) return false;
    }
    return true;
}
static_assert(tables_are_right());

// One bit per byte.
struct Masks {
    std::uint32_t other = 0;  // not plain
    std::uint32_t space = 0;  // U+0020
};

#define QUARRY_AVX2 [[gnu::target("avx2"), gnu::always_inline]] inline

QUARRY_AVX2 Masks masks_of(__m128i bytes) {
    const __m128i low_halves = _mm_set1_epi8(0x0F);
    const __m128i lower =
        _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(half_tables.lower.data())),
                         _mm_and_si128(bytes, low_halves));
    const __m128i upper =
        _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(half_tables.upper.data())),
                         _mm_and_si128(_mm_srli_epi16(bytes, 4), low_halves));
    const __m128i plain = _mm_cmpeq_epi8(_mm_and_si128(lower, upper), _mm_setzero_si128());
    const __m128i space = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
    return {static_cast<std::uint32_t>(_mm_movemask_epi8(plain)) ^ 0xFFFFU,
            static_cast<std::uint32_t>(_mm_movemask_epi8(space))};
}

QUARRY_AVX2 Masks masks_at(const char* bytes) {
    return masks_of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

std::uint64_t read(const char* bytes, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, size);
    return word;
}

// The masks of up to 32 bytes. Where there are fewer, the last ones are read a second time together with what
// is before them instead of with what is behind the text.
QUARRY_AVX2 Masks masks_of_rest(const char* bytes, std::size_t size) {
    if (size >= 16) {
        const Masks first = masks_at(bytes), last = masks_at(bytes + (size - 16));
        const std::size_t shift = size - 16;
        return {first.other | last.other << shift, first.space | last.space << shift};
    }
    std::uint64_t low = 0, high = 0;
    if (size >= 8) {
        low = read(bytes, 8);
        high = size == 8 ? 0 : read(bytes + (size - 8), 8) >> (8 * (16 - size));
    } else if (size >= 4) {
        low = read(bytes, 4) | read(bytes + (size - 4), 4) << (8 * (size - 4));
    } else {
        for (std::size_t at = size; at-- > 0;) low = low << 8 | static_cast<unsigned char>(bytes[at]);
    }
    return masks_of(_mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low)));
}

[[gnu::target("avx2,bmi")]] std::size_t find_plain_end_avx2(std::string_view text, std::size_t start) {
    constexpr std::size_t width = 32;
    for (std::size_t at = start; at < text.size();) {
        const std::size_t size = std::min(text.size() - at, width);
        Masks masks = masks_of_rest(text.data() + at, size);
        // A space whose successor is not in sight ends the stretch, and begins the next step.
        const std::uint32_t in_sight = size == width ? ~0U : (1U << size) - 1;
        std::uint32_t single = masks.space & (~masks.other & in_sight) >> 1;
        if (at == start) single &= ~1U;
        const std::uint32_t stops = masks.other & in_sight & ~single;
        const auto stop =
            static_cast<std::size_t>(std::countr_zero(stops | (size == width ? 0 : 1U << size)));
        const bool goes_on = stop == width || (stop == width - 1 && masks.space >> (width - 1) != 0 &&
                                               at + width < text.size() && is_plain(text[at + width]));
        if (!goes_on) return at + stop;
        at += width;
    }
    return text.size();
}

#undef QUARRY_AVX2

}  // namespace

std::size_t find_plain_end(std::string_view text, std::size_t start) {
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    return has_avx2 ? find_plain_end_avx2(text, start) : find_plain_end_slowly(text, start);
}

#else

std::size_t find_plain_end(std::string_view text, std::size_t start) {
    return find_plain_end_slowly(text, start);
}

#endif

}  // namespace quarry::extract::markdown
