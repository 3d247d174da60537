// What the model sees of a block: small integers, so that trees compare bytes and training and use cannot
// round differently. The order is part of the trained model: append, retrain, and never reorder by hand.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extract/content/page_view.h"
#include "extract/content/tree_ensemble.h"

namespace quarry::extract {

// clang-format off
#define QUARRY_BLOCK_FEATURES(X) \
    X(words) X(word_length) X(link_share) X(sentences) X(commas) X(comma_share) X(ends_sentence) X(digit_share) \
    X(capital_share) X(short_share) X(shouted_share) X(separators) X(years) X(prices) X(copyright) X(vocabulary) X(mean_vocabulary) \
    X(tag) X(level) X(nodes) X(lists) X(tables) X(depth) X(names) X(near_names) X(worst_name) \
    X(place_by_words) X(place_by_blocks) X(words_before) X(words_after) \
    X(words_1_before) X(links_1_before) X(tag_1_before) X(ends_1_before) X(kin_before) \
    X(words_2_before) X(links_2_before) \
    X(words_1_after) X(links_1_after) X(tag_1_after) X(ends_1_after) X(kin_after) \
    X(words_2_after) X(links_2_after) X(prose_before) X(prose_after) X(links_around) \
    X(words_around_1) X(links_around_1) X(mean_around_1) X(prose_around_1) X(share_around_1) \
    X(words_around_2) X(links_around_2) X(mean_around_2) X(prose_around_2) X(share_around_2) \
    X(words_around_3) X(links_around_3) X(mean_around_3) X(prose_around_3) X(share_around_3) \
    X(words_around_4) X(links_around_4) X(mean_around_4) X(prose_around_4) X(share_around_4) \
    X(inner_repeats) X(inner_item_words) X(inner_item_links) X(inner_row_words) \
    X(outer_repeats) X(outer_item_words) X(outer_item_links) X(outer_row_share) X(outer_row_prose) \
    X(in_half) X(steps_to_half) X(share_of_half) X(side_of_half) X(in_most) X(steps_to_most) X(side_of_most) \
    X(heading_blocks) X(heading_words) X(heading_level) X(heading_overlap) X(heading_vocabulary) X(own_overlap) \
    X(since_title) X(after_title) X(copies) X(copies_before) \
    X(page_words) X(page_links) X(page_blocks) X(page_prose) X(page_prose_share) X(page_mean) X(page_articles) \
    X(page_main) X(page_years) X(page_prices) X(page_headings) X(page_open_graph) \
    X(page_article) X(page_product) X(page_discussion) X(page_questions) X(page_listing) X(page_organisation)
// clang-format on

enum class Feature : std::uint8_t {
#define QUARRY_FEATURE(name) name,
    QUARRY_BLOCK_FEATURES(QUARRY_FEATURE) first_region
#undef QUARRY_FEATURE
};

// After the named features come one per Region (inside it or not) and one per Cue (how near).
inline constexpr std::size_t named_feature_count = static_cast<std::size_t>(Feature::first_region);
inline constexpr std::size_t feature_count = named_feature_count + region_count + cue_count;

// Fills in the first `feature_count` features of a row per block.
void describe_blocks(const PageView& page, FeatureTable& table);

std::vector<std::string> feature_names();

// A count on a scale that is exact below 4 and has four steps per doubling above.
constexpr std::uint8_t compute_log_step(std::uint32_t count) {
    if (count < 4) return static_cast<std::uint8_t>(count);
    const unsigned doublings = static_cast<unsigned>(std::bit_width(count)) - 1;
    return static_cast<std::uint8_t>(4 * (doublings - 1) + ((count >> (doublings - 2)) & 3U));
}

// The same; nearly all counts are small, and looked up.
inline std::uint8_t log_step(std::uint32_t count) {
    static constexpr auto small = [] {
        std::array<std::uint8_t, 512> steps{};
        for (std::size_t at = 0; at < steps.size(); ++at)
            steps[at] = compute_log_step(static_cast<std::uint32_t>(at));
        return steps;
    }();
    return count < small.size() ? small[count] : compute_log_step(count);
}

// part / whole in steps of 1/100; 0 if the whole is 0.
inline std::uint8_t share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return 0;
    // Division by 32 bits takes half the time of one by 64.
    constexpr std::uint64_t small = UINT32_MAX / 100;
    const std::uint64_t percent =
        part <= small && whole <= UINT32_MAX
            ? static_cast<std::uint32_t>(part) * 100 / static_cast<std::uint32_t>(whole)
            : part * 100 / whole;
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(percent, 100));
}

}  // namespace quarry::extract
