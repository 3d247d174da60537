// Judging with AVX2, which compares and looks up 32 bytes at once. Only these functions are compiled for it,
// so the program still starts on processors without.
#include "extract/content/tree_ensemble.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::extract {

#if defined(__x86_64__)

namespace {

static_assert(FeatureTable::lanes == sizeof(__m256i));

#define QUARRY_AVX2 [[gnu::target("avx2"), gnu::always_inline]] inline

struct Walk {
    const PackedTree& tree;
    const char* group;
    __m256i went_right[tree_depth];
};

// Where the rows go at `level`, for those that have come to the subtree below `node`. Both branches are
// worked out and one thrown away, row by row: there is no jump to predict.
template <std::size_t level, std::size_t node, std::size_t node_level>
QUARRY_AVX2 __m256i decide(const Walk& walk) {
    if constexpr (level == node_level) {
        const char* column = walk.group + walk.tree.offset[node];
        const __m256i values = _mm256_load_si256(reinterpret_cast<const __m256i*>(column));
        return _mm256_cmpgt_epi8(values, _mm256_set1_epi8(walk.tree.threshold[node]));
    } else {
        const __m256i left = decide<level, 2 * node + 1, node_level + 1>(walk);
        const __m256i right = decide<level, 2 * node + 2, node_level + 1>(walk);
        const __m256i went_right = walk.went_right[node_level];
        return _mm256_or_si256(_mm256_and_si256(went_right, right), _mm256_andnot_si256(went_right, left));
    }
}

// A comparison's result is 0 or -1, so subtracting it adds a bit.
QUARRY_AVX2 __m256i add_bit(__m256i leaf, __m256i went_right) {
    return _mm256_sub_epi8(_mm256_add_epi8(leaf, leaf), went_right);
}

// The byte of the leaf that each row came to; a table holds 16, and which half it is the first step said.
QUARRY_AVX2 __m256i look_up(const std::uint8_t* leaves, __m256i leaf, __m256i second_half) {
    const auto* halves = reinterpret_cast<const __m128i*>(leaves);
    const __m256i first = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(halves)), leaf);
    const __m256i second = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(halves + 1)), leaf);
    return _mm256_blendv_epi8(first, second, second_half);
}

QUARRY_AVX2 LeafSums sum_leaves(std::span<const PackedTree> trees, const FeatureTable::Column* group) {
    // The rows 0 to 7 and 16 to 23, and the others: so the two bytes of a leaf come together.
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (const PackedTree& tree : trees) {
        Walk walk{.tree = tree, .group = reinterpret_cast<const char*>(group), .went_right = {}};
        walk.went_right[0] = decide<0, 0, 0>(walk);
        walk.went_right[1] = decide<1, 0, 0>(walk);
        walk.went_right[2] = decide<2, 0, 0>(walk);
        walk.went_right[3] = decide<3, 0, 0>(walk);
        walk.went_right[4] = decide<4, 0, 0>(walk);
        __m256i leaf = _mm256_setzero_si256();
        for (std::size_t level = 1; level < tree_depth; ++level) leaf = add_bit(leaf, walk.went_right[level]);
        const __m256i low = look_up(tree.leaf_low, leaf, walk.went_right[0]);
        const __m256i high = look_up(tree.leaf_high, leaf, walk.went_right[0]);
        even = _mm256_add_epi16(even, _mm256_unpacklo_epi8(low, high));
        odd = _mm256_add_epi16(odd, _mm256_unpackhi_epi8(low, high));
    }
    LeafSums sums;
    auto* rows = reinterpret_cast<__m256i*>(sums.data());
    _mm256_storeu_si256(rows, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(rows + 1, _mm256_permute2x128_si256(even, odd, 0x31));
    return sums;
}

#undef QUARRY_AVX2

[[gnu::target("avx2")]] LeafSums sum_leaves_avx2(std::span<const PackedTree> trees,
                                                 const FeatureTable::Column* group) {
    return sum_leaves(trees, group);
}

// The same; compilers make one instruction of the three that choose between branches.
[[gnu::target("avx2,avx512f,avx512vl")]] LeafSums sum_leaves_avx512(std::span<const PackedTree> trees,
                                                                    const FeatureTable::Column* group) {
    return sum_leaves(trees, group);
}

}  // namespace

SumLeaves* find_sum_leaves_avx2() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return sum_leaves_avx512;
    return __builtin_cpu_supports("avx2") ? sum_leaves_avx2 : nullptr;
}

#else

SumLeaves* find_sum_leaves_avx2() {
    return nullptr;
}

#endif

}  // namespace quarry::extract
