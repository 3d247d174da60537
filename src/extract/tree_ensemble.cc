#include "extract/tree_ensemble.h"

#include <cmath>
#include <cstring>

namespace quarry::extract {

namespace {

// GCC and Clang compile these to the vector instructions of the target, here 16 bytes at once.
using Lanes = std::uint8_t __attribute__((vector_size(FeatureTable::lanes)));

Lanes load(const std::uint8_t* bytes) {
    Lanes lanes;
    std::memcpy(&lanes, bytes, sizeof lanes);
    return lanes;
}

// All comparisons of a level are made, and those on the other branches thrown away: with no jump to predict
// this is faster than walking.
Lanes find_leaves(const DecisionTree& tree, const std::uint8_t* group) {
    std::array<Lanes, tree_depth> went_right;
    Lanes leaf{};
    for (std::size_t level = 0; level < tree_depth; ++level) {
        const std::size_t count = std::size_t{1} << level;
        std::array<Lanes, tree_leaves / 2> greater;
        for (std::size_t node = 0; node < count; ++node) {
            const std::size_t at = count - 1 + node;
            const Lanes threshold = Lanes{} + tree.threshold[at];
            greater[node] =
                reinterpret_cast<Lanes>(load(group + tree.feature[at] * FeatureTable::lanes) > threshold);
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

std::uint8_t to_probability(std::int32_t log_odds) {
    const double odds = std::exp(-static_cast<double>(log_odds) / 1024);
    return static_cast<std::uint8_t>(std::lround(255 / (1 + odds)));
}

}  // namespace

std::vector<std::uint8_t> judge(std::span<const DecisionTree> trees, const FeatureTable& table) {
    std::vector<std::int32_t> log_odds(table.groups() * FeatureTable::lanes);
    for (std::size_t group = 0; group < table.groups(); ++group) {
        std::int32_t* sums = &log_odds[group * FeatureTable::lanes];
        for (const DecisionTree& tree : trees) {
            std::array<std::uint8_t, FeatureTable::lanes> leaves;
            const Lanes found = find_leaves(tree, table.group(group));
            std::memcpy(leaves.data(), &found, sizeof found);
            for (std::size_t lane = 0; lane < leaves.size(); ++lane) sums[lane] += tree.leaf[leaves[lane]];
        }
    }
    std::vector<std::uint8_t> likely(table.rows());
    for (std::size_t row = 0; row < likely.size(); ++row) likely[row] = to_probability(log_odds[row]);
    return likely;
}

}  // namespace quarry::extract
