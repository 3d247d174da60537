#include "extract/content/block_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace quarry::extract {

using html::NodeId;
using html::Tag;

namespace {

// Containers by what they mostly hold. The order lets a decision tree cut between neighbours.
std::uint8_t tag_group(const html::Node& node) {
    if (node.kind != html::NodeKind::element) return 0;
    switch (node.tag) {
        case Tag::p: return 20;
        case Tag::blockquote: return 19;
        case Tag::pre: return 18;
        case Tag::dd: return 17;
        case Tag::dt: return 16;
        case Tag::h1:
        case Tag::h2:
        case Tag::h3:
        case Tag::h4:
        case Tag::h5:
        case Tag::h6: return 15;
        case Tag::td: return 14;
        case Tag::th: return 13;
        case Tag::figcaption:
        case Tag::caption: return 12;
        case Tag::li: return 11;
        case Tag::summary: return 10;
        case Tag::section:
        case Tag::article:
        case Tag::main:
        case Tag::body: return 9;
        case Tag::div:
        case Tag::center: return 8;
        case Tag::header: return 6;
        case Tag::footer:
        case Tag::aside:
        case Tag::nav: return 5;
        case Tag::form:
        case Tag::fieldset:
        case Tag::legend: return 4;
        case Tag::button: return 3;
        case Tag::select:
        case Tag::textarea: return 2;
        default: return 7;
    }
}

std::uint8_t centred(int value) {
    return static_cast<std::uint8_t>(std::clamp(value + 128, 0, 255));
}

// Where the reading has come to: the last heading, and whether the page's own title has passed.
struct HeadingState {
    std::uint32_t block = 0;
    int level = 0;
    std::uint8_t overlap = 0;
    std::uint8_t vocabulary = 128;
    bool title_passed = false;
    std::uint32_t title_block = 0;
};

// How often a text was met, by its fingerprint: a table with open addressing, of a fixed size.
class CopyCounts {
public:
    explicit CopyCounts(std::size_t texts) : slots_(std::bit_ceil(2 * texts + 2)) {}

    struct Copies {
        std::uint64_t fingerprint = 0;
        std::uint32_t total = 0, met = 0;  // a free slot has no total
    };

    Copies& operator[](std::uint64_t fingerprint) {
        const std::size_t mask = slots_.size() - 1;
        Copies* const slots = slots_.data();  // no index is greater than the mask
        std::size_t at = fingerprint >> 32 & mask;
        while (slots[at].total != 0 && slots[at].fingerprint != fingerprint) at = (at + 1) & mask;
        slots[at].fingerprint = fingerprint;
        return slots[at];
    }

private:
    std::vector<Copies> slots_;
};

// What a block's neighbours see of it.
struct Glance {
    NodeId container = 0;
    NodeId parent = 0;  // of the container
    std::uint8_t words = 0;
    std::uint8_t links = 0;
    std::uint8_t tag = 0;
    bool ends_sentence = false;
};

class Describer {
public:
    Describer(const PageView& page, FeatureTable& table)
        : page_(page), blocks_(page.blocks.list), table_(table), row_(table.row(0)), copies_(blocks_.size()) {
        glances_.reserve(blocks_.size());
    }

    void run() {
        describe_page();
        for (const Block& block : blocks_) ++copies_[block.text.fingerprint].total;
        for (const Block& block : blocks_) glances_.push_back(glance_at(block));
        for (at_ = 0; at_ < blocks_.size(); ++at_) {
            row_ = table_.row(at_);
            describe_text();
            describe_place();
            describe_neighbours();
            describe_containers();
            describe_repeats();
            describe_prose_holders();
            describe_headings();
            describe_copies();
            describe_surroundings();
        }
    }

private:
    void set(Feature feature, std::uint8_t value) { set(feature, 0, value); }
    // The feature `step` places after this one, in the groups that repeat.
    void set(Feature feature, std::size_t step, std::uint8_t value) {
        row_.set(static_cast<std::size_t>(feature) + step, value);
    }
    void set_all(Feature feature, std::uint8_t value) {
        table_.set_all(static_cast<std::size_t>(feature), value);
    }
    const Block& block() const { return blocks_[at_]; }
    const Surroundings& around(const Block& block) const {
        return page_.surroundings[page_.innermost(block)];
    }

    Glance glance_at(const Block& block) const {
        const html::Node& container = page_.tree[block.container];
        return {.container = block.container,
                .parent = container.parent,
                .words = log_step(block.text.words),
                .links = share(block.text.link_words, block.text.words),
                .tag = tag_group(container),
                .ends_sentence = block.text.ends_sentence};
    }

    void describe_text() {
        const TextCounts& text = block().text;
        set(Feature::words, glances_[at_].words);
        set(Feature::word_length,
            static_cast<std::uint8_t>(std::min<std::uint64_t>(share(text.letters, 10 * text.words), 255)));
        set(Feature::link_share, glances_[at_].links);
        set(Feature::sentences, log_step(text.sentence_ends));
        set(Feature::commas, log_step(text.commas));
        set(Feature::comma_share, share(text.commas, text.words));
        set(Feature::ends_sentence, text.ends_sentence);
        set(Feature::digit_share, share(text.digits, text.digits + text.letters));
        set(Feature::capital_share, share(text.capitalised, text.words));
        set(Feature::short_share, share(text.short_words, text.words));
        set(Feature::shouted_share, share(text.shouted, text.words));
        set(Feature::separators, log_step(text.separators));
        set(Feature::years, log_step(text.years));
        set(Feature::prices, log_step(text.prices));
        set(Feature::copyright, text.has_copyright);
        set(Feature::vocabulary, centred(text.vocabulary / 8));
        set(Feature::mean_vocabulary, mean_vocabulary(text));
    }

    static std::uint8_t mean_vocabulary(const TextCounts& text) {
        return centred(text.vocabulary / static_cast<int>(text.words + 1));
    }

    void describe_place() {
        const html::Node& container = page_.tree[block().container];
        const BlockSums& before = page_.sums[at_];
        const BlockSums& total = page_.total();
        set(Feature::tag, glances_[at_].tag);
        set(Feature::level, static_cast<std::uint8_t>(heading_level(page_.tree, block().container)));
        set(Feature::nodes, log_step(block().last - block().first));
        set(Feature::depth, static_cast<std::uint8_t>(std::min<int>(container.depth, 255)));
        set(Feature::place_by_words, share(before.words, total.words));
        set(Feature::place_by_blocks, share(before.blocks, total.blocks));
        set(Feature::words_before, log_step(before.words));
        set(Feature::words_after, log_step(total.words - before.words));
    }

    struct Neighbour {
        Feature words, links, tag, ends, kin;
    };

    void describe_neighbours() {
        constexpr Neighbour before{Feature::words_1_before, Feature::links_1_before, Feature::tag_1_before,
                                   Feature::ends_1_before, Feature::kin_before};
        constexpr Neighbour after{Feature::words_1_after, Feature::links_1_after, Feature::tag_1_after,
                                  Feature::ends_1_after, Feature::kin_after};
        if (at_ >= 1) describe_neighbour(glances_[at_ - 1], before);
        if (at_ + 1 < blocks_.size()) describe_neighbour(glances_[at_ + 1], after);
        if (at_ >= 2) {
            set(Feature::words_2_before, glances_[at_ - 2].words);
            set(Feature::links_2_before, glances_[at_ - 2].links);
        }
        if (at_ + 2 < blocks_.size()) {
            set(Feature::words_2_after, glances_[at_ + 2].words);
            set(Feature::links_2_after, glances_[at_ + 2].links);
        }
        constexpr std::size_t window = 6;
        const std::size_t first = at_ - std::min(at_, window);
        const std::size_t last = std::min(at_ + 1 + window, blocks_.size());
        set(Feature::prose_before, log_step((page_.sums[at_] - page_.sums[first]).prose_words));
        set(Feature::prose_after, log_step((page_.sums[last] - page_.sums[at_ + 1]).prose_words));
        const BlockSums around = page_.sums[last] - page_.sums[first];
        set(Feature::links_around, share(around.link_words, around.words));
    }

    void describe_neighbour(const Glance& other, const Neighbour& feature) {
        const Glance& own = glances_[at_];
        set(feature.words, other.words);
        set(feature.links, other.links);
        set(feature.tag, other.tag);
        set(feature.ends, other.ends_sentence);
        const bool same = other.container == own.container;
        const bool siblings = other.parent == own.parent;
        set(feature.kin, static_cast<std::uint8_t>(same ? 2 : siblings ? 1 : 0));
    }

    void describe_containers() {
        NodeId id = wider_than_block();
        for (std::size_t level = 0; level < described_.size(); ++level) {
            Described& described = described_[level];
            // Neighbours mostly have the same containers.
            if (described.id != id) described = {id, describe_container(id)};
            for (std::size_t step = 0; step < described.values.size(); ++step) {
                set(Feature::words_around_1, level * described.values.size() + step, described.values[step]);
            }
            const NodeId wider = page_.surroundings[id].wider;
            if (wider != html::no_node) id = wider;
        }
    }

    // words, links, mean, prose and share
    std::array<std::uint8_t, 5> describe_container(NodeId id) const {
        const BlockSums inside = page_.inside(id);
        return {log_step(inside.words), share(inside.link_words, inside.words),
                log_step(inside.words / std::max(inside.blocks, 1U)), share(inside.prose_words, inside.words),
                share(inside.words, page_.total().words)};
    }

    NodeId wider_than_block() const {
        const NodeId container = block().container;
        const NodeId wider = page_.surroundings[container].wider;
        return page_.inside(container).blocks > 1 || wider == html::no_node ? container : wider;
    }

    void describe_repeats() {
        const Surroundings& own = around(block());
        if (own.inner_repeat != html::no_node) {
            const BlockSums item = page_.inside(own.inner_repeat);
            const BlockSums row = page_.inside(page_.tree[own.inner_repeat].parent);
            set(Feature::inner_repeats, log_step(page_.surroundings[own.inner_repeat].repeats));
            set(Feature::inner_item_words, log_step(item.words));
            set(Feature::inner_item_links, share(item.link_words, item.words));
            set(Feature::inner_row_words, log_step(row.words));
        }
        if (own.outer_repeat != html::no_node) {
            const BlockSums item = page_.inside(own.outer_repeat);
            const BlockSums row = page_.inside(page_.tree[own.outer_repeat].parent);
            set(Feature::outer_repeats, log_step(page_.surroundings[own.outer_repeat].repeats));
            set(Feature::outer_item_words, log_step(item.words));
            set(Feature::outer_item_links, share(item.link_words, item.words));
            set(Feature::outer_row_share, share(row.words, page_.total().words));
            set(Feature::outer_row_prose, share(row.prose_words, row.words));
        }
    }

    // How many wider containers to go up until one holds `target` as well.
    std::uint8_t steps_to(NodeId target) const {
        constexpr std::uint8_t most = 20;
        NodeId id = block().container;
        std::uint8_t steps = 0;
        while (steps < most && !page_.tree.contains(id, target)) {
            id = page_.surroundings[id].wider;
            if (id == html::no_node) break;
            ++steps;
        }
        return steps;
    }

    std::uint8_t side_of(NodeId target) const {
        if (page_.tree.contains(target, block().first)) return 1;
        return block().first < target ? 0 : 2;
    }

    void describe_prose_holders() {
        set(Feature::side_of_half, side_of(page_.half_of_prose));
        set(Feature::in_half, side_of(page_.half_of_prose) == 1);
        set(Feature::steps_to_half, steps_to(page_.half_of_prose));
        set(Feature::side_of_most, side_of(page_.most_of_prose));
        set(Feature::in_most, side_of(page_.most_of_prose) == 1);
        set(Feature::steps_to_most, steps_to(page_.most_of_prose));
    }

    void describe_headings() {
        const int level = heading_level(page_.tree, block().container);
        const auto index = static_cast<std::uint32_t>(at_);
        std::uint8_t overlap = 0;
        if (level != 0) overlap = title_overlap();
        set(Feature::own_overlap, overlap);
        set(Feature::heading_blocks, log_step(index - heading_.block));
        set(Feature::heading_words, log_step(page_.sums[at_].words - page_.sums[heading_.block].words));
        set(Feature::heading_level, static_cast<std::uint8_t>(heading_.level));
        set(Feature::heading_overlap, heading_.overlap);
        set(Feature::heading_vocabulary, heading_.vocabulary);
        if (level != 0)
            heading_ = {index,
                        level,
                        overlap,
                        mean_vocabulary(block().text),
                        heading_.title_passed,
                        heading_.title_block};
        if ((level == 1 || overlap >= 60) && !heading_.title_passed) {
            heading_.title_passed = true;
            heading_.title_block = index;
        }
        set(Feature::after_title, heading_.title_passed);
        set(Feature::since_title, heading_.title_passed ? log_step(index - heading_.title_block) : 0);
    }

    // The same text twice: a teaser and its article, a menu for phones and one for desktop screens, a hidden
    // copy.
    void describe_copies() {
        CopyCounts::Copies& copies = copies_[block().text.fingerprint];
        set(Feature::copies, log_step(copies.total));
        set(Feature::copies_before, log_step(copies.met++));
    }

    std::uint8_t title_overlap() const {
        const auto words = page_.blocks.words_of(block());
        return share(count_title_words(page_.cues, words), words.size());
    }

    // The features that are the same for all blocks.
    void describe_page() {
        const BlockSums& total = page_.total();
        const PageCues& cues = page_.cues;
        set_all(Feature::page_words, log_step(total.words));
        set_all(Feature::page_links, share(total.link_words, total.words));
        set_all(Feature::page_blocks, log_step(total.blocks));
        set_all(Feature::page_prose, log_step(total.prose_words));
        set_all(Feature::page_prose_share, share(total.prose_words, total.words));
        set_all(Feature::page_mean, log_step(total.words / std::max(total.blocks, 1U)));
        set_all(Feature::page_articles, log_step(cues.articles));
        set_all(Feature::page_main, static_cast<std::uint8_t>(std::min(cues.mains, 2U)));
        set_all(Feature::page_years, log_step(page_.kinds.years));
        set_all(Feature::page_prices, log_step(page_.kinds.prices));
        set_all(Feature::page_headings, log_step(page_.kinds.headings));
        set_all(Feature::page_open_graph, static_cast<std::uint8_t>(cues.is_article_by_open_graph   ? 2
                                                                    : cues.is_product_by_open_graph ? 1
                                                                                                    : 0));
        for (std::size_t kind = 0; kind < static_cast<std::size_t>(Kind::count); ++kind) {
            table_.set_all(static_cast<std::size_t>(Feature::page_article) + kind,
                           cues.declares(static_cast<Kind>(kind)));
        }
        set_all(Feature::share_of_half, share(page_.inside(page_.half_of_prose).words, total.words));
    }

    // Most regions and cues do not apply to a block: the table already holds 0.
    void describe_surroundings() {
        const Surroundings& own = around(block());
        set(Feature::lists, own.lists);
        set(Feature::tables, own.tables);
        set(Feature::names, centred(own.weight / 8));
        set(Feature::near_names, centred(own.near_weight / 4));
        set(Feature::worst_name, centred(own.worst_weight / 2));
        for (std::uint32_t left = own.regions; left != 0; left &= left - 1) {
            set(Feature::first_region, static_cast<std::size_t>(std::countr_zero(left)), 1);
        }
        const int depth = page_.tree[page_.innermost(block())].depth;
        for (std::uint32_t left = own.cues; left != 0; left &= left - 1) {
            const auto cue = static_cast<std::size_t>(std::countr_zero(left));
            const int steps = depth - own.cue_at[cue];
            set(Feature::first_region, region_count + cue,
                static_cast<std::uint8_t>(std::max(1, 16 - steps)));
        }
    }

    const PageView& page_;
    std::span<const Block> blocks_;
    FeatureTable& table_;
    FeatureTable::Row row_;  // of the block at at_
    std::size_t at_ = 0;
    HeadingState heading_;
    CopyCounts copies_;
    std::vector<Glance> glances_;  // one per block
    // The containers that were described last, the narrowest first.
    struct Described {
        NodeId id = html::no_node;
        std::array<std::uint8_t, 5> values{};
    };
    std::array<Described, 4> described_;
};

}  // namespace

void describe_blocks(const PageView& page, FeatureTable& table) {
    Describer(page, table).run();
}

std::vector<std::string> feature_names() {
    std::vector<std::string> names{
#define QUARRY_FEATURE(name) #name,
        QUARRY_BLOCK_FEATURES(QUARRY_FEATURE)
#undef QUARRY_FEATURE
    };
    for (std::size_t region = 0; region < region_count; ++region)
        names.push_back("region " + std::to_string(region));
    for (std::size_t cue = 0; cue < cue_count; ++cue) names.push_back("cue " + std::to_string(cue));
    return names;
}

}  // namespace quarry::extract
