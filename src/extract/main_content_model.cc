#include "extract/main_content_model.h"

#include "extract/block_features.h"
#include "extract/context_features.h"
#include "extract/tree_ensemble.h"

namespace quarry::extract {

namespace {

#include "extract/main_content_model.inc"

}  // namespace

std::vector<std::uint8_t> judge_blocks(const PageView& page) {
    FeatureTable table(page.blocks.list.size(), feature_count + context_feature_count);
    describe_blocks(page, table);
    describe_context(page, judge(first_look, table), table);
    return judge(second_look, table);
}

}  // namespace quarry::extract
