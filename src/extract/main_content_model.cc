#include "extract/main_content_model.h"

#include <algorithm>

#include "extract/block_features.h"
#include "extract/context_features.h"
#include "extract/tree_ensemble.h"

namespace quarry::extract {

namespace {

#include "extract/main_content_model.inc"

}  // namespace

std::vector<std::uint8_t> judge_blocks(const PageView& page) {
    const std::vector<std::uint8_t> rows = describe_blocks(page);
    const std::vector<std::uint8_t> likely = judge({first_look, first_bias}, rows, feature_count);
    return judge({second_look, second_bias}, describe_twice(page, rows, likely),
                 feature_count + context_feature_count);
}

std::vector<std::uint8_t> describe_twice(const PageView& page, const std::vector<std::uint8_t>& rows,
                                         const std::vector<std::uint8_t>& likely) {
    const std::vector<std::uint8_t> context = describe_context(page, likely);
    constexpr std::size_t width = feature_count + context_feature_count;
    std::vector<std::uint8_t> joined(likely.size() * width);
    for (std::size_t at = 0; at < likely.size(); ++at) {
        std::copy_n(&rows[at * feature_count], feature_count, &joined[at * width]);
        std::copy_n(&context[at * context_feature_count], context_feature_count,
                    &joined[at * width + feature_count]);
    }
    return joined;
}

}  // namespace quarry::extract
