#include "extract/tree_ensemble.h"

#include <cmath>

namespace quarry::extract {

namespace {

std::uint8_t to_probability(std::int32_t log_odds) {
    const double odds = std::exp(-static_cast<double>(log_odds) / 1024);
    return static_cast<std::uint8_t>(std::lround(255 / (1 + odds)));
}

std::size_t find_leaf(const DecisionTree& tree, const std::uint8_t* row) {
    std::size_t node = 0;
    for (std::size_t level = 0; level < tree_depth; ++level) {
        node = 2 * node + 1 + (row[tree.feature[node]] > tree.threshold[node]);
    }
    return node - tree_inner_nodes;
}

}  // namespace

std::vector<std::uint8_t> judge(const TreeEnsemble& ensemble, std::span<const std::uint8_t> rows,
                                std::size_t stride) {
    const std::size_t count = rows.size() / stride;
    std::vector<std::int32_t> log_odds(count, ensemble.bias);
    // Tree by tree: one tree stays in the nearest cache while all rows pass through it, and the walks of
    // neighbouring rows do not wait for each other.
    for (const DecisionTree& tree : ensemble.trees) {
        for (std::size_t at = 0; at < count; ++at)
            log_odds[at] += tree.leaf[find_leaf(tree, &rows[at * stride])];
    }
    std::vector<std::uint8_t> likely(count);
    for (std::size_t at = 0; at < count; ++at) likely[at] = to_probability(log_odds[at]);
    return likely;
}

}  // namespace quarry::extract
