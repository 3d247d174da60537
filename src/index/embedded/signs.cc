#include "index/embedded/sign_distance.h"

#include <algorithm>
#include <bit>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::index {

namespace {

constexpr std::size_t together = 8;

// The sum over the dimensions in which the signs differ of the query's magnitude there.
[[gnu::always_inline]] inline void plain_distances(const SignQuery& query, const std::uint64_t* bits,
                                                   std::size_t groups, std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    for (std::size_t slot = 0; slot < groups * together; ++slot) {
        const std::uint64_t* from = bits + slot / together * together * words + slot % together;
        int distance = 0;
        for (std::size_t word = 0; word < words; ++word) {
            const std::uint64_t differ = from[word * together] ^ query.signs[word];
            for (std::size_t plane = 0; plane < SignQuery::planes; ++plane) {
                distance += std::popcount(differ & query.magnitudes[plane][word]) << plane;
            }
        }
        distances[slot] = static_cast<std::uint16_t>(distance);
    }
}

void anywhere(const SignQuery& query, const std::uint64_t* bits, std::size_t groups,
              std::uint16_t* distances) {
    plain_distances(query, bits, groups, distances);
}

#if defined(__x86_64__)

__attribute__((target("popcnt"))) void with_popcnt(const SignQuery& query, const std::uint64_t* bits,
                                                   std::size_t groups, std::uint16_t* distances) {
    plain_distances(query, bits, groups, distances);
}

// Counts bits by looking up each half byte. The table of a plane has its counts already multiplied.
__attribute__((target("avx2"))) void with_avx2(const SignQuery& query, const std::uint64_t* bits,
                                               std::size_t groups, std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    const __m256i counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i low_half = _mm256_set1_epi8(15);
    for (std::size_t half = 0; half < groups * 2; ++half) {
        const std::uint64_t* from = bits + half / 2 * together * words + half % 2 * 4;
        __m256i sums = _mm256_setzero_si256();
        for (std::size_t word = 0; word < words; ++word) {
            const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + word * together));
            const __m256i differ =
                _mm256_xor_si256(four, _mm256_set1_epi64x(static_cast<long long>(query.signs[word])));
            __m256i bytes = _mm256_setzero_si256();  // at most 8 bits times 7
            for (std::size_t plane = SignQuery::planes; plane-- > 0;) {
                const __m256i magnitudes =
                    _mm256_set1_epi64x(static_cast<long long>(query.magnitudes[plane][word]));
                const __m256i counted = _mm256_and_si256(differ, magnitudes);
                const __m256i lower = _mm256_and_si256(counted, low_half);
                const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(counted, 4), low_half);
                bytes = _mm256_add_epi8(
                    _mm256_add_epi8(bytes, bytes),
                    _mm256_add_epi8(_mm256_shuffle_epi8(counts, lower), _mm256_shuffle_epi8(counts, upper)));
            }
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
        }
        alignas(32) std::uint64_t four_sums[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(four_sums), sums);
        for (std::size_t i = 0; i < 4; ++i)
            distances[half * 4 + i] = static_cast<std::uint16_t>(four_sums[i]);
    }
}

__attribute__((target("avx512f,avx512vl,avx512vpopcntdq"))) void with_avx512(const SignQuery& query,
                                                                             const std::uint64_t* bits,
                                                                             std::size_t groups,
                                                                             std::uint16_t* distances) {
    const std::size_t words = query.signs.size();
    for (std::size_t group = 0; group < groups; ++group) {
        const std::uint64_t* from = bits + group * together * words;
        __m512i sums = _mm512_setzero_si512();
        for (std::size_t word = 0; word < words; ++word) {
            const __m512i eight = _mm512_loadu_si512(from + word * together);
            const __m512i differ =
                _mm512_xor_si512(eight, _mm512_set1_epi64(static_cast<long long>(query.signs[word])));
            __m512i counts = _mm512_setzero_si512();
            for (std::size_t plane = SignQuery::planes; plane-- > 0;) {
                const __m512i magnitudes =
                    _mm512_set1_epi64(static_cast<long long>(query.magnitudes[plane][word]));
                counts = _mm512_add_epi64(_mm512_add_epi64(counts, counts),
                                          _mm512_popcnt_epi64(_mm512_and_si512(differ, magnitudes)));
            }
            sums = _mm512_add_epi64(sums, counts);
        }
        _mm_storeu_si128(reinterpret_cast<__m128i*>(distances + group * together),
                         _mm512_maskz_cvtepi64_epi16(0xff, sums));
    }
}

#endif

std::vector<NamedSignDistance> runnable() {
    std::vector<NamedSignDistance> functions;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq")) {
        functions.push_back({"avx512", with_avx512});
    }
    if (__builtin_cpu_supports("avx2")) functions.push_back({"avx2", with_avx2});
    if (__builtin_cpu_supports("popcnt")) functions.push_back({"popcnt", with_popcnt});
#endif
    functions.push_back({"anywhere", anywhere});
    return functions;
}

}  // namespace

std::span<const NamedSignDistance> sign_distances() {
    static const std::vector<NamedSignDistance> functions = runnable();
    return functions;
}

SignQuery make_sign_query(std::span<const float> query, std::size_t words) {
    double sum = 0;
    for (const float x : query) sum += std::abs(x);
    // The largest step is for what is over twice the average: of the few larger ones nothing is gained.
    constexpr int largest = (1 << SignQuery::planes) - 1;
    const double average = query.empty() ? 0 : sum / static_cast<double>(query.size());
    const double steps = average > 0 ? largest / (2.2 * average) : 0;

    SignQuery prepared{.signs = std::vector<std::uint64_t>(words)};
    prepared.magnitudes.fill(std::vector<std::uint64_t>(words));
    for (std::size_t i = 0; i < query.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        if (query[i] > 0) prepared.signs[i / 64] |= bit;
        const double magnitude = std::min<double>(largest, std::abs(query[i]) * steps + 0.5);
        for (std::size_t plane = 0; plane < SignQuery::planes; ++plane) {
            if (static_cast<int>(magnitude) >> plane & 1) prepared.magnitudes[plane][i / 64] |= bit;
        }
    }
    return prepared;
}

}  // namespace quarry::index
