#include "extract/content/main_content_model.h"

#include "extract/content/block_features.h"
#include "extract/content/context_features.h"
#include "extract/content/tree_ensemble.h"

namespace quarry::extract {

namespace {

#include "extract/content/main_content_model.inc"

static_assert(sums_fit(first_look) && sums_fit(second_look));
constexpr auto first_trees = pack(first_look);
constexpr auto second_trees = pack(second_look);

}  // namespace

std::vector<std::uint8_t> judge_blocks(const PageView& page) {
    FeatureTable table(page.blocks.list.size(), feature_count + context_feature_count);
    describe_blocks(page, table);
    describe_context(page, judge(first_trees, table), table);
    return judge(second_trees, table);
}

}  // namespace quarry::extract
