// 64 bytes of text sorted into kinds at once: one bit per byte and kind. Scanners then step from word to word
// instead of from byte to byte.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace quarry::extract {

struct ByteMasks {
    static constexpr std::size_t width = 64;

    std::uint64_t capital = 0;
    std::uint64_t digit = 0;
    std::uint64_t word = 0;          // letters and digits of ASCII
    std::uint64_t space = 0;         // white space and controls
    std::uint64_t beyond_ascii = 0;  // what is none of these is punctuation
};

#ifdef __SSE2__

namespace byte_masks {

// Bytes in [first, first + count), as 16 bits.
inline std::uint64_t in_range(__m128i bytes, char first, char count) {
    const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    const __m128i least = _mm_min_epu8(offset, _mm_set1_epi8(static_cast<char>(count - 1)));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(offset, least)));
}

}  // namespace byte_masks

inline ByteMasks masks_of(const char* bytes) {
    ByteMasks masks;
    for (std::size_t at = 0; at < ByteMasks::width; at += sizeof(__m128i)) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
        const std::uint64_t digit = byte_masks::in_range(part, '0', 10);
        const std::uint64_t letter = byte_masks::in_range(_mm_or_si128(part, _mm_set1_epi8(0x20)), 'a', 26);
        masks.capital |= byte_masks::in_range(part, 'A', 26) << at;
        masks.digit |= digit << at;
        masks.word |= (digit | letter) << at;
        masks.space |= byte_masks::in_range(part, '\0', ' ' + 1) << at;
        masks.beyond_ascii |= static_cast<std::uint64_t>(_mm_movemask_epi8(part)) << at;
    }
    return masks;
}

#else

inline ByteMasks masks_of(const char* bytes) {
    ByteMasks masks;
    for (std::size_t at = 0; at < ByteMasks::width; ++at) {
        const auto byte = static_cast<unsigned char>(bytes[at]);
        const std::uint64_t bit = std::uint64_t{1} << at;
        const bool is_digit = byte >= '0' && byte <= '9';
        const bool is_letter = (byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z';
        if (byte >= 'A' && byte <= 'Z') masks.capital |= bit;
        if (is_digit) masks.digit |= bit;
        if (is_digit || is_letter) masks.word |= bit;
        if (byte <= ' ') masks.space |= bit;
        if (byte >= 0x80) masks.beyond_ascii |= bit;
    }
    return masks;
}

#endif

}  // namespace quarry::extract
