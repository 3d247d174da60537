#include "extract/markdown/markdown_plain.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "extract/markdown/escape.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::extract::markdown {

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
