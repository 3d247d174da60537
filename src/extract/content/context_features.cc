#include "extract/content/context_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "extract/content/block_features.h"

namespace quarry::extract {

using html::NodeId;

namespace {

constexpr std::uint8_t kept_at = 128;

// A sum of judgements weighted by words (plus one, so that a wordless block still counts).
struct Mass {
    std::uint64_t weighted = 0;
    std::uint64_t weight = 0;
    std::uint64_t kept_words = 0;

    Mass operator-(const Mass& other) const {
        return {weighted - other.weighted, weight - other.weight, kept_words - other.kept_words};
    }
    void add(std::uint8_t likely, std::uint32_t words) {
        weighted += static_cast<std::uint64_t>(likely) * (words + 1);
        weight += words + 1;
        if (likely >= kept_at) kept_words += words;
    }
    std::uint8_t mean() const {
        if (weight == 0) return 0;
        // Division by 32 bits takes half the time of one by 64; the weight is the lesser of the two.
        if (weighted <= UINT32_MAX)
            return static_cast<std::uint8_t>(static_cast<std::uint32_t>(weighted) /
                                             static_cast<std::uint32_t>(weight));
        return static_cast<std::uint8_t>(weighted / weight);
    }
};

// Blocks that are built alike: an open-addressing map from a hash of their containers to their mass.
class AlikeGroups {
public:
    explicit AlikeGroups(std::size_t blocks) : slots_(std::bit_ceil(2 * blocks + 2)) {}

    struct Group {
        std::uint32_t key = 0;
        std::uint32_t blocks = 0;
        Mass mass{};
    };

    Group& operator[](std::uint32_t key) {
        key |= 1;  // 0 marks a free slot
        const std::size_t mask = slots_.size() - 1;
        Group* const slots = slots_.data();  // no index is greater than the mask
        std::size_t at = (key * 2'654'435'761U) & mask;
        while (slots[at].key != 0 && slots[at].key != key) at = (at + 1) & mask;
        slots[at].key = key;
        return slots[at];
    }

private:
    std::vector<Group> slots_;
};

class ContextDescriber {
public:
    ContextDescriber(const PageView& page, std::span<const std::uint8_t> likely, FeatureTable& table)
        : page_(page),
          blocks_(page.blocks.list),
          likely_(likely),
          table_(table),
          row_(table.row(0)),
          sums_(blocks_.size() + 1),
          alike_(blocks_.size()),
          kin_(blocks_.size()) {}

    void run() {
        gather();
        describe_page();
        for (at_ = 0; at_ < blocks_.size(); ++at_) {
            row_ = table_.row(at_);
            describe_neighbours();
            describe_containers();
            describe_repeats();
            describe_place();
            describe_section();
        }
        describe_distances();
    }

private:
    void set(ContextFeature feature, std::uint8_t value) { set(feature, 0, value); }
    void set(ContextFeature feature, std::size_t step, std::uint8_t value) {
        row_.set(feature_count + static_cast<std::size_t>(feature) + step, value);
    }

    void set_all(ContextFeature feature, std::uint8_t value) {
        table_.set_all(feature_count + static_cast<std::size_t>(feature), value);
    }

    void gather() {
        section_end_.resize(blocks_.size());
        alike_keys_.resize(blocks_.size());
        kin_keys_.resize(blocks_.size());
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            const Block& block = blocks_[at];
            sums_[at + 1] = sums_[at];
            sums_[at + 1].add(likely_[at], block.text.words);
            best_ = std::max(best_, likely_[at]);
            kin_keys_[at] = key_of(block.container, 2);
            alike_keys_[at] = kin_keys_[at] * 31 + key_of(page_.tree[block.container].parent, 4) * 7;
            add_to_group(alike_[alike_keys_[at]], at);
            add_to_group(kin_[kin_keys_[at]], at);
        }
        std::size_t end = blocks_.size();
        for (std::size_t at = blocks_.size(); at-- > 0;) {
            section_end_[at] = end;
            if (heading_level(page_.tree, blocks_[at].container) != 0) end = at;
        }
    }

    void add_to_group(AlikeGroups::Group& group, std::size_t at) {
        ++group.blocks;
        group.mass.add(likely_[at], blocks_[at].text.words);
    }

    // A hash of tags and classes of the element and its ancestors, `levels` in all.
    std::uint32_t key_of(NodeId id, int levels) const {
        std::uint32_t key = 17;
        for (; levels > 0 && id != html::no_node; --levels, id = page_.tree[id].parent) {
            key = key * 31 + page_.surroundings[id].signature;
        }
        return key;
    }

    Mass inside(NodeId id) const {
        const auto [first, end] = page_.blocks.inside(page_.tree, id);
        return between(first, end);
    }
    // Both are at most the number of blocks; there is one sum more.
    Mass between(std::size_t first, std::size_t last) const {
        return sums_.data()[last] - sums_.data()[first];
    }
    std::uint8_t likely_at(std::ptrdiff_t at) const {
        return at >= 0 && at < std::ssize(likely_) ? likely_[static_cast<std::size_t>(at)] : 0;
    }

    void describe_neighbours() {
        const auto at = static_cast<std::ptrdiff_t>(at_);
        set(ContextFeature::own, likely_[at_]);
        for (std::ptrdiff_t step = 1; step <= 3; ++step) {
            const auto offset = static_cast<std::size_t>(step - 1);
            set(ContextFeature::before_1, offset, likely_at(at - step));
            set(ContextFeature::after_1, offset, likely_at(at + step));
        }
        set(ContextFeature::mean_near, window_mean(3));
        set(ContextFeature::mean_far, window_mean(10));
    }

    std::uint8_t window_mean(std::size_t reach) const {
        return between(at_ - std::min(at_, reach), std::min(at_ + reach + 1, blocks_.size())).mean();
    }

    void describe_containers() {
        NodeId id = blocks_[at_].container;
        set(ContextFeature::container_mean, inside(id).mean());
        for (std::size_t level = 0; level < described_.size(); ++level) {
            const NodeId wider = page_.surroundings[id].wider;
            if (wider != html::no_node) id = wider;
            // Neighbours mostly have the same containers.
            if (described_[level].id != id) described_[level] = {id, inside(id).mean()};
            set(ContextFeature::mean_around_1, level, described_[level].mean);
        }
    }

    void describe_repeats() {
        const Surroundings& own = page_.surroundings[page_.innermost(blocks_[at_])];
        if (own.inner_repeat != html::no_node) {
            set(ContextFeature::inner_item, inside(own.inner_repeat).mean());
            set(ContextFeature::inner_row, inside(page_.tree[own.inner_repeat].parent).mean());
        }
        if (own.outer_repeat != html::no_node) {
            set(ContextFeature::outer_item, inside(own.outer_repeat).mean());
            set(ContextFeature::outer_row, inside(page_.tree[own.outer_repeat].parent).mean());
        }
        const AlikeGroups::Group& alike = alike_[alike_keys_[at_]];
        set(ContextFeature::alike_mean, alike.mass.mean());
        set(ContextFeature::alike_count, log_step(alike.blocks));
        set(ContextFeature::alike_words,
            log_step(static_cast<std::uint32_t>(alike.mass.weight / alike.blocks)));
        const AlikeGroups::Group& kin = kin_[kin_keys_[at_]];
        set(ContextFeature::kin_mean, kin.mass.mean());
        set(ContextFeature::kin_count, log_step(kin.blocks));
    }

    // What is the same for all blocks.
    void describe_page() {
        const Mass total = sums_.back();
        set_all(ContextFeature::mean_page, total.mean());
        set_all(ContextFeature::kept_words, log_step(static_cast<std::uint32_t>(total.kept_words)));
        set_all(ContextFeature::kept_share, share(total.kept_words, total.weight));
        set_all(ContextFeature::best_on_page, best_);
        set_all(ContextFeature::mean_half, inside(page_.half_of_prose).mean());
    }

    void describe_place() {
        const std::uint64_t kept = sums_.back().kept_words;
        set(ContextFeature::kept_before, share(sums_[at_].kept_words, kept));
        set(ContextFeature::kept_after, share(kept - sums_[at_ + 1].kept_words, kept));
    }

    void describe_section() {
        if (heading_level(page_.tree, blocks_[at_].container) != 0) section_start_ = at_;
        const Mass section = between(std::min(section_start_ + 1, section_end_[at_]), section_end_[at_]);
        set(ContextFeature::heading, likely_[section_start_]);
        set(ContextFeature::section_mean, section.mean());
        set(ContextFeature::section_words, log_step(static_cast<std::uint32_t>(section.weight)));
        set(ContextFeature::next_heading, likely_at(static_cast<std::ptrdiff_t>(section_end_[at_])));
    }

    // Blocks since the last and until the next one that was judged content.
    void describe_distances() {
        std::uint32_t distance = 1000;
        for (at_ = 0; at_ < blocks_.size(); ++at_, ++distance) {
            row_ = table_.row(at_);
            set(ContextFeature::blocks_from_kept, log_step(distance));
            if (likely_[at_] >= kept_at) distance = 0;
        }
        distance = 1000;
        for (at_ = blocks_.size(); at_-- > 0; ++distance) {
            row_ = table_.row(at_);
            set(ContextFeature::blocks_to_kept, log_step(distance));
            if (likely_[at_] >= kept_at) distance = 0;
        }
    }

    const PageView& page_;
    std::span<const Block> blocks_;
    std::span<const std::uint8_t> likely_;
    FeatureTable& table_;
    FeatureTable::Row row_;  // of the block at at_
    std::vector<Mass> sums_;
    AlikeGroups alike_, kin_;
    std::vector<std::uint32_t> alike_keys_, kin_keys_;
    std::vector<std::size_t> section_end_;
    // The containers that were described last, the narrowest first.
    struct Described {
        NodeId id = html::no_node;
        std::uint8_t mean = 0;
    };
    std::array<Described, 5> described_;
    std::size_t section_start_ = 0;
    std::size_t at_ = 0;
    std::uint8_t best_ = 0;
};

}  // namespace

void describe_context(const PageView& page, std::span<const std::uint8_t> likely, FeatureTable& table) {
    ContextDescriber(page, likely, table).run();
}

std::vector<std::string> context_feature_names() {
    return {
#define QUARRY_FEATURE(name) "context " #name,
        QUARRY_CONTEXT_FEATURES(QUARRY_FEATURE)
#undef QUARRY_FEATURE
    };
}

}  // namespace quarry::extract
