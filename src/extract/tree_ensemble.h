// Boosted decision trees over byte features. A tree is full and of fixed depth, stored as a heap, so a walk
// is a few comparisons without branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry::extract {

inline constexpr std::size_t tree_depth = 5;
inline constexpr std::size_t tree_inner_nodes = (1U << tree_depth) - 1;
inline constexpr std::size_t tree_leaves = 1U << tree_depth;

struct DecisionTree {
    std::uint8_t feature[tree_inner_nodes];
    std::uint8_t threshold[tree_inner_nodes];  // a greater value goes right
    std::int16_t leaf[tree_leaves];            // in 1/1024 of the log of the odds
};

struct TreeEnsemble {
    std::span<const DecisionTree> trees;
    std::int32_t bias = 0;  // in the units of the leaves
};

// Probability (0 to 255) for each of the rows of `stride` bytes.
std::vector<std::uint8_t> judge(const TreeEnsemble& ensemble, std::span<const std::uint8_t> rows,
                                std::size_t stride);

}  // namespace quarry::extract
