// A second look at each block, knowing what the first look thought of its neighbours, its containers, the
// blocks built alike and the whole page. One odd paragraph in an article, or one long item in a menu, is
// judged by the company it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "extract/content/page_view.h"
#include "extract/content/tree_ensemble.h"

namespace quarry::extract {

// clang-format off
#define QUARRY_CONTEXT_FEATURES(X) \
    X(own) X(before_1) X(before_2) X(before_3) X(after_1) X(after_2) X(after_3) X(mean_near) X(mean_far) \
    X(mean_around_1) X(mean_around_2) X(mean_around_3) X(mean_around_4) X(mean_around_5) X(mean_page) X(kept_words) \
    X(kept_share) X(kept_before) X(kept_after) X(inner_row) X(inner_item) X(outer_row) X(outer_item) \
    X(alike_mean) X(alike_count) X(alike_words) X(kin_mean) X(kin_count) X(heading) X(section_mean) X(section_words) \
    X(next_heading) X(blocks_from_kept) X(blocks_to_kept) X(best_on_page) X(container_mean) X(mean_half)
// clang-format on

enum class ContextFeature : std::uint8_t {
#define QUARRY_FEATURE(name) name,
    QUARRY_CONTEXT_FEATURES(QUARRY_FEATURE) count
#undef QUARRY_FEATURE
};
inline constexpr std::size_t context_feature_count = static_cast<std::size_t>(ContextFeature::count);

// `likely` holds for each block the first judgement, 0 (surroundings) to 255 (content). Fills in the
// features of each row that come after the block features.
void describe_context(const PageView& page, std::span<const std::uint8_t> likely, FeatureTable& table);

std::vector<std::string> context_feature_names();

}  // namespace quarry::extract
