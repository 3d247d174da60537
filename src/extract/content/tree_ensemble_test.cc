#include "extract/content/tree_ensemble.h"

#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry::extract;

namespace {

DecisionTree random_tree(std::mt19937& random, std::size_t width) {
    DecisionTree tree{};
    for (auto& feature : tree.feature) feature = static_cast<std::uint8_t>(random() % width);
    for (auto& threshold : tree.threshold) threshold = static_cast<std::uint8_t>(random());
    for (auto& leaf : tree.leaf) leaf = static_cast<std::int16_t>(static_cast<int>(random() % 501) - 250);
    return tree;
}

FeatureTable random_table(std::mt19937& random, std::size_t rows, std::size_t width) {
    FeatureTable table(rows, width);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t feature = 0; feature < width; ++feature) {
            table.row(row).set(feature, static_cast<std::uint8_t>(random()));
        }
    }
    return table;
}

// What a tree means, one step after the other.
int walk(const DecisionTree& tree, const FeatureTable& table, std::size_t row) {
    std::size_t node = 0;
    while (node < tree_inner_nodes) {
        node = 2 * node + 1 + (table.at(row, tree.feature[node]) > tree.threshold[node]);
    }
    return tree.leaf[node - tree_inner_nodes];
}

struct Forest {
    std::vector<DecisionTree> trees{};
    std::vector<PackedTree> packed{};
};

Forest random_forest(std::mt19937& random, std::size_t count, std::size_t width) {
    Forest forest;
    for (std::size_t i = 0; i < count; ++i) {
        forest.trees.push_back(random_tree(random, width));
        forest.packed.push_back(pack(forest.trees.back()));
    }
    return forest;
}

void check_sums(SumLeaves* sum_leaves) {
    constexpr std::size_t width = 200, rows = FeatureTable::lanes;
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const Forest forest = random_forest(random, 50, width);
        const FeatureTable table = random_table(random, rows, width);

        const LeafSums sums = sum_leaves(forest.packed, table.group(0));

        for (std::size_t row = 0; row < rows; ++row) {
            int expected = 0;
            for (const DecisionTree& tree : forest.trees) expected += walk(tree, table, row);
            REQUIRE(sums[row] == expected);
        }
    }
}

}  // namespace

TEST_CASE("a feature table gives back what was set, and 0 where nothing was") {
    FeatureTable table(70, 3);

    for (std::size_t row = 0; row < 70; ++row) table.row(row).set(1, static_cast<std::uint8_t>(row * 3 + 40));
    table.set_all(2, 200);

    for (std::size_t row = 0; row < 70; ++row) {
        CHECK(table.at(row, 0) == 0);
        CHECK(table.at(row, 1) == row * 3 + 40);
        CHECK(table.at(row, 2) == 200);
    }
}

TEST_CASE("many rows at once come to the leaves that one comes to step by step") {
    check_sums(sum_leaves_anywhere);
}

TEST_CASE("AVX2 comes to the same leaves") {
    SumLeaves* const sum_leaves = find_sum_leaves_avx2();
    if (sum_leaves == nullptr) {
        MESSAGE("skipped: the processor has no AVX2");
        return;
    }
    check_sums(sum_leaves);
}

TEST_CASE("odds become probabilities") {
    constexpr struct {
        std::int16_t leaf;
        std::uint8_t probability;
    } cases[] = {{0, 128}, {1024, 186}, {-1024, 69}, {6'300, 254}, {-6'300, 1}, {32'000, 255}, {-32'000, 0}};
    for (const auto& [leaf, probability] : cases) {
        CAPTURE(leaf);
        DecisionTree tree{};
        std::ranges::fill(tree.leaf, leaf);
        const std::vector<PackedTree> packed{pack(tree)};

        CHECK(judge(packed, FeatureTable(33, 1)) == std::vector<std::uint8_t>(33, probability));
    }
}

TEST_CASE("no rows need no judgement") {
    CHECK(judge({}, FeatureTable(0, 5)).empty());
}

TEST_CASE("sums that leave 16 bits are noticed") {
    DecisionTree trees[2]{};
    CHECK(sums_fit(trees));
    for (DecisionTree& tree : trees) tree.leaf[3] = 20'000;
    CHECK_FALSE(sums_fit(trees));
}
