#include "extract/content/tree_ensemble.h"

#include <cmath>
#include <cstring>

namespace quarry::extract {

namespace {

// GCC and Clang compile these to the vector instructions of the target; sixteen bytes at once have all.
constexpr std::size_t vector_bytes = 16;
using Lanes = std::int8_t __attribute__((vector_size(vector_bytes)));

Lanes load(const std::int8_t* bytes) {
    Lanes lanes;
    std::memcpy(&lanes, bytes, sizeof lanes);
    return lanes;
}

// All comparisons of a level are made, and those on the other branches thrown away: with no jump to predict
// this is faster than walking.
Lanes find_leaves(const PackedTree& tree, const std::int8_t* group) {
    std::array<Lanes, tree_depth> went_right;
    Lanes leaf{};
    for (std::size_t level = 0; level < tree_depth; ++level) {
        const std::size_t count = std::size_t{1} << level;
        std::array<Lanes, tree_leaves / 2> greater;
        for (std::size_t node = 0; node < count; ++node) {
            const std::size_t at = count - 1 + node;
            const Lanes threshold = Lanes{} + tree.threshold[at];
            greater[node] = load(group + tree.offset[at]) > threshold;
        }
        for (std::size_t above = level; above-- > 0;) {
            for (std::size_t node = 0; node < (std::size_t{1} << above); ++node) {
                greater[node] =
                    (went_right[above] & greater[2 * node + 1]) | (~went_right[above] & greater[2 * node]);
            }
        }
        went_right[level] = greater[0];
        leaf = leaf + leaf + (greater[0] & 1);
    }
    return leaf;
}

std::uint8_t to_probability(int log_odds) {
    const double odds = std::exp(-static_cast<double>(log_odds) / 1024);
    return static_cast<std::uint8_t>(std::lround(255 / (1 + odds)));
}

// Beyond this all probabilities are 0 or 255.
constexpr int certain = 6'400;

const std::array<std::uint8_t, 2 * certain + 1>& probabilities() {
    static const auto table = [] {
        std::array<std::uint8_t, 2 * certain + 1> made{};
        for (int log_odds = -certain; log_odds <= certain; ++log_odds) {
            made[static_cast<std::size_t>(log_odds + certain)] = to_probability(log_odds);
        }
        return made;
    }();
    return table;
}

}  // namespace

FeatureTable::FeatureTable(std::size_t rows, std::size_t width) : rows_(rows), width_(width) {
    Column zeros;
    zeros.values.fill(static_cast<std::int8_t>(-128));
    columns_.assign(groups() * width, zeros);
}

void FeatureTable::set_all(std::size_t feature, std::uint8_t value) {
    Column column;
    column.values.fill(static_cast<std::int8_t>(value ^ sign));
    for (std::size_t group = 0; group < groups(); ++group) columns_[group * width_ + feature] = column;
}

LeafSums sum_leaves_anywhere(std::span<const PackedTree> trees, const FeatureTable::Column* group) {
    LeafSums sums{};
    for (const PackedTree& tree : trees) {
        for (std::size_t offset = 0; offset < FeatureTable::lanes; offset += vector_bytes) {
            std::array<std::uint8_t, vector_bytes> leaves;
            const Lanes found = find_leaves(tree, group->values.data() + offset);
            std::memcpy(leaves.data(), &found, sizeof found);
            for (std::size_t lane = 0; lane < leaves.size(); ++lane) {
                const std::size_t leaf = leaves[lane];
                const int value = tree.leaf_low[leaf] | tree.leaf_high[leaf] << 8;
                sums[offset + lane] = static_cast<std::int16_t>(sums[offset + lane] + value);
            }
        }
    }
    return sums;
}

std::vector<std::uint8_t> judge(std::span<const PackedTree> trees, const FeatureTable& table) {
    static SumLeaves* const sum_leaves_avx2 = find_sum_leaves_avx2();
    SumLeaves* const sum_leaves = sum_leaves_avx2 != nullptr ? sum_leaves_avx2 : sum_leaves_anywhere;
    const auto& probability = probabilities();
    std::vector<std::uint8_t> likely(table.rows());
    for (std::size_t group = 0; group < table.groups(); ++group) {
        const LeafSums sums = sum_leaves(trees, table.group(group));
        const std::size_t first = group * FeatureTable::lanes;
        const std::size_t count = std::min(FeatureTable::lanes, likely.size() - first);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const int log_odds = std::clamp<int>(sums[lane], -certain, certain);
            likely[first + lane] = probability[static_cast<std::size_t>(log_odds + certain)];
        }
    }
    return likely;
}

}  // namespace quarry::extract
