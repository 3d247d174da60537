// Boosted decision trees over byte features, judged for many rows at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry::extract {

// Rows of byte features, stored so that one feature of neighbouring rows lies together: a tree node then is
// one comparison of two vectors. Values are kept less 128, because vector instructions compare signed bytes.
class FeatureTable {
public:
    static constexpr std::size_t lanes = 32;

    // One feature of as many rows as are judged together.
    struct alignas(lanes) Column {
        std::array<std::int8_t, lanes> values;
    };

    // A row to be filled in; valid as long as the table.
    class Row {
    public:
        void set(std::size_t feature, std::uint8_t value) const {
            // The lane is a remainder of `lanes`.
            columns_[feature].values.data()[lane_] = static_cast<std::int8_t>(value ^ sign);
        }

    private:
        friend class FeatureTable;
        Row(Column* columns, std::size_t lane) : columns_(columns), lane_(lane) {}
        Column* columns_;
        std::size_t lane_;
    };

    // All features of all rows are 0 at first.
    FeatureTable(std::size_t rows, std::size_t width);

    std::size_t rows() const { return rows_; }
    std::size_t width() const { return width_; }
    std::uint8_t at(std::size_t row, std::size_t feature) const {
        const std::int8_t value = columns_[row / lanes * width_ + feature].values[row % lanes];
        return static_cast<std::uint8_t>(value ^ sign);
    }
    Row row(std::size_t number) { return {columns_.data() + number / lanes * width_, number % lanes}; }
    // Gives all rows the same value.
    void set_all(std::size_t feature, std::uint8_t value);
    // The columns of the rows from `number * lanes` on.
    const Column* group(std::size_t number) const { return &columns_[number * width_]; }
    std::size_t groups() const { return (rows_ + lanes - 1) / lanes; }

private:
    static constexpr int sign = 0x80;

    std::size_t rows_, width_;
    std::vector<Column> columns_;
};

inline constexpr std::size_t tree_depth = 5;
inline constexpr std::size_t tree_inner_nodes = (1U << tree_depth) - 1;
inline constexpr std::size_t tree_leaves = 1U << tree_depth;

// A full tree as a heap, as the trainer writes it.
struct DecisionTree {
    std::uint8_t feature[tree_inner_nodes];
    std::uint8_t threshold[tree_inner_nodes];  // a greater value goes right
    std::int16_t leaf[tree_leaves];            // in 1/1024 of the log of the odds
};

// The same, laid out for the instructions that judge: thresholds less 128 like the features, the two bytes of
// a leaf apart, so that sixteen of them can be looked up at once.
struct PackedTree {
    std::uint16_t offset[tree_inner_nodes];  // of the feature's column in a group, in bytes
    std::int8_t threshold[tree_inner_nodes];
    alignas(16) std::uint8_t leaf_low[tree_leaves];
    alignas(16) std::uint8_t leaf_high[tree_leaves];
};

constexpr PackedTree pack(const DecisionTree& tree) {
    PackedTree packed{};
    for (std::size_t node = 0; node < tree_inner_nodes; ++node) {
        packed.offset[node] = static_cast<std::uint16_t>(tree.feature[node] * sizeof(FeatureTable::Column));
        packed.threshold[node] = static_cast<std::int8_t>(tree.threshold[node] - 128);
    }
    for (std::size_t leaf = 0; leaf < tree_leaves; ++leaf) {
        const auto value = static_cast<std::uint16_t>(tree.leaf[leaf]);
        packed.leaf_low[leaf] = static_cast<std::uint8_t>(value);
        packed.leaf_high[leaf] = static_cast<std::uint8_t>(value >> 8);
    }
    return packed;
}

template <std::size_t count>
constexpr std::array<PackedTree, count> pack(const DecisionTree (&trees)[count]) {
    std::array<PackedTree, count> packed{};
    std::ranges::transform(trees, packed.begin(), [](const DecisionTree& tree) { return pack(tree); });
    return packed;
}

// True if no sum of leaves can leave 16 bits, which is what `judge` adds in.
template <std::size_t count>
constexpr bool sums_fit(const DecisionTree (&trees)[count]) {
    int least = 0, greatest = 0;
    for (const DecisionTree& tree : trees) {
        least += std::min(0, static_cast<int>(std::ranges::min(tree.leaf)));
        greatest += std::max(0, static_cast<int>(std::ranges::max(tree.leaf)));
    }
    return least >= INT16_MIN && greatest <= INT16_MAX;
}

// Probability (0 to 255) for each of the rows. The sums of the leaves must fit: see above.
std::vector<std::uint8_t> judge(std::span<const PackedTree> trees, const FeatureTable& table);

// The sum of the leaves that the rows of one group come to. One way per kind of processor; `judge` takes the
// best there is, and all give the same.
using LeafSums = std::array<std::int16_t, FeatureTable::lanes>;
using SumLeaves = LeafSums(std::span<const PackedTree>, const FeatureTable::Column* group);
SumLeaves sum_leaves_anywhere;
// Null where the processor has no AVX2.
SumLeaves* find_sum_leaves_avx2();

}  // namespace quarry::extract
