// Up to 64 bytes of text sorted into kinds at once: one bit per byte and kind. Scanners then step from word
// to word instead of from byte to byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace quarry::extract {

struct ByteMasks {
    static constexpr std::size_t width = 64;

    std::uint64_t capital = 0;
    std::uint64_t digit = 0;
    std::uint64_t word = 0;          // letters and digits of ASCII
    std::uint64_t space = 0;         // white space and controls; bits beyond the text may be set, too
    std::uint64_t beyond_ascii = 0;  // what is none of these is punctuation

    void add(const ByteMasks& other, std::size_t offset) {
        capital |= other.capital << offset;
        digit |= other.digit << offset;
        word |= other.word << offset;
        space |= other.space << offset;
        beyond_ascii |= other.beyond_ascii << offset;
    }
};

// At most eight bytes as a number, the first one lowest. Reads nothing behind them.
inline std::uint64_t read_bytes(const char* bytes, std::size_t size) {
    const auto read = [&](std::size_t at, auto word) -> std::uint64_t {
        std::memcpy(&word, bytes + at, sizeof word);
        return word;
    };
    if (size == 8) return read(0, std::uint64_t{});
    if (size >= 4) return read(0, std::uint32_t{}) | read(size - 4, std::uint32_t{}) << (8 * (size - 4));
    if (size == 0) return 0;
    // The first, the middle and the last one, which may be the same.
    return read(0, std::uint8_t{}) | read(size / 2, std::uint8_t{}) << (8 * (size / 2)) |
           read(size - 1, std::uint8_t{}) << (8 * (size - 1));
}

#ifdef __SSE2__

namespace byte_masks {

// Bytes in [first, first + count), as 16 bits.
inline std::uint64_t in_range(__m128i bytes, char first, char count) {
    const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    const __m128i least = _mm_min_epu8(offset, _mm_set1_epi8(static_cast<char>(count - 1)));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(offset, least)));
}

inline ByteMasks of_sixteen(__m128i bytes) {
    const std::uint64_t digit = in_range(bytes, '0', 10);
    const std::uint64_t letter = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    return {.capital = in_range(bytes, 'A', 26),
            .digit = digit,
            .word = digit | letter,
            .space = in_range(bytes, '\0', ' ' + 1),
            .beyond_ascii = static_cast<std::uint64_t>(_mm_movemask_epi8(bytes))};
}

inline __m128i load_sixteen(const char* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// Fewer than sixteen bytes, with zeros behind them.
inline __m128i load_few(const char* bytes, std::size_t size) {
    const std::uint64_t low = read_bytes(bytes, size < 8 ? size : 8);
    const std::uint64_t high = size <= 8 ? 0 : read_bytes(bytes + (size - 8), 8) >> (8 * (16 - size));
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}

}  // namespace byte_masks

// The size is at most 64. Where the bytes do not fill the last step of sixteen, those before them are looked
// at again: nothing behind them is read.
inline ByteMasks masks_of(const char* bytes, std::size_t size) {
    if (size < 16) return byte_masks::of_sixteen(byte_masks::load_few(bytes, size));
    ByteMasks masks;
    for (std::size_t at = 0; at + 16 <= size; at += 16)
        masks.add(byte_masks::of_sixteen(byte_masks::load_sixteen(bytes + at)), at);
    if (size % 16 != 0)
        masks.add(byte_masks::of_sixteen(byte_masks::load_sixteen(bytes + size - 16)), size - 16);
    return masks;
}

#else

inline ByteMasks masks_of(const char* bytes, std::size_t size) {
    ByteMasks masks;
    for (std::size_t at = 0; at < size; ++at) {
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
