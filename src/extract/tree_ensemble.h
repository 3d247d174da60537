// Boosted decision trees over byte features, judged for sixteen rows at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry::extract {

// Rows of byte features, stored so that one feature of sixteen neighbouring rows lies together: a tree node
// then is one comparison of two vectors.
class FeatureTable {
public:
    static constexpr std::size_t lanes = 16;

    FeatureTable(std::size_t rows, std::size_t width)
        : rows_(rows), width_(width), bytes_((rows + lanes - 1) / lanes * lanes * width) {}

    std::size_t rows() const { return rows_; }
    std::size_t width() const { return width_; }
    std::uint8_t& at(std::size_t row, std::size_t feature) {
        return bytes_[(row / lanes * width_ + feature) * lanes + row % lanes];
    }
    std::uint8_t at(std::size_t row, std::size_t feature) const {
        return bytes_[(row / lanes * width_ + feature) * lanes + row % lanes];
    }
    // Where the features of sixteen rows begin, `lanes` bytes each.
    const std::uint8_t* group(std::size_t number) const { return &bytes_[number * width_ * lanes]; }
    std::size_t groups() const { return (rows_ + lanes - 1) / lanes; }

private:
    std::size_t rows_, width_;
    std::vector<std::uint8_t> bytes_;
};

inline constexpr std::size_t tree_depth = 5;
inline constexpr std::size_t tree_inner_nodes = (1U << tree_depth) - 1;
inline constexpr std::size_t tree_leaves = 1U << tree_depth;

// A full tree as a heap.
struct DecisionTree {
    std::uint8_t feature[tree_inner_nodes];
    std::uint8_t threshold[tree_inner_nodes];  // a greater value goes right
    std::int16_t leaf[tree_leaves];            // in 1/1024 of the log of the odds
};

// Probability (0 to 255) for each of the rows.
std::vector<std::uint8_t> judge(std::span<const DecisionTree> trees, const FeatureTable& table);

}  // namespace quarry::extract
