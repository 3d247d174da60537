// Classes of characters as the HTML standard names them, and fast searches for the few that end a run of
// text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace quarry::html {

constexpr bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}
constexpr bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_alphanumeric(char c) {
    return is_alpha(c) || is_digit(c);
}
constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// How many bytes of white space `text` begins with.
constexpr std::size_t leading_space(std::string_view text) {
    std::size_t count = 0;
    while (count < text.size() && is_space(text[count])) ++count;
    return count;
}
constexpr bool is_all_space(std::string_view text) {
    return leading_space(text) == text.size();
}
constexpr bool equals_ignore_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (to_lower(text[i]) != lower[i]) return false;
    }
    return true;
}

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

// The first of the three bytes in [at, end), or end. Sixteen bytes a step where the machine can.
template <char A, char B, char C>
inline char* find_first(char* at, char* end) {
#ifdef __SSE2__
    const __m128i a = _mm_set1_epi8(A), b = _mm_set1_epi8(B), c = _mm_set1_epi8(C);
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b)),
                                         _mm_cmpeq_epi8(bytes, c));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hit));
        if (mask != 0) return at + __builtin_ctz(mask);
    }
#endif
    while (at != end && *at != A && *at != B && *at != C) ++at;
    return at;
}

}  // namespace quarry::html
