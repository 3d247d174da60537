// Chooses the blocks of the main content. Drops text that a page holds twice: once for phones and once for
// desktop screens, as slides and as one piece, in full and again in quotes.
#include "extract/content/main_content.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "extract/content/block_features.h"
#include "extract/content/context_features.h"
#include "extract/content/page_view.h"
#include "extract/content/tree_ensemble.h"
#include "extract/content/visibility.h"

namespace quarry::extract {

using html::NodeId;
using html::Tag;

// Unmarks chosen blocks that repeat, over several sentences, what chosen blocks before them have said. Code,
// cells and definitions are left alone: reference pages repeat them with reason. Linear in the chosen text.
void drop_repeated_text(const PageView& page, std::vector<std::uint8_t>& chosen);

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

namespace {

constexpr html::TagSet kept_with_parent{Tag::br,     Tag::hr,     Tag::wbr,   Tag::img,     Tag::picture,
                                        Tag::source, Tag::input,  Tag::td,    Tag::th,      Tag::tr,
                                        Tag::thead,  Tag::tbody,  Tag::tfoot, Tag::caption, Tag::video,
                                        Tag::audio,  Tag::iframe, Tag::math};

// The likelihood from which a block is kept. If the likeliest blocks are kept down to a threshold, the
// expected F1 is 2 * (likely words kept) / (words kept + likely words of the page). The threshold that makes
// F1 greatest lies at half of that F1. So a page that is hard to judge gets a low threshold, and no page
// loses all its blocks.
std::uint32_t best_threshold(const PageView& page, std::span<const std::uint8_t> likely) {
    std::array<std::uint64_t, 256> words{};
    std::uint64_t likely_words = 0;
    for (std::size_t at = 0; at < likely.size(); ++at) {
        words[likely[at]] += page.blocks.list[at].text.words;
        likely_words += likely[at] * page.blocks.list[at].text.words;
    }
    double best = 0;
    std::uint64_t kept = 0, kept_likely = 0;
    for (std::size_t level = 256; level-- > 0;) {
        kept += words[level];
        kept_likely += level * words[level];
        const double f1 =
            2 * static_cast<double>(kept_likely) / static_cast<double>(255 * kept + likely_words + 1);
        best = std::max(best, f1);
    }
    // A little stricter than half: a wrong paragraph annoys more than a missing one.
    constexpr double strictness = 1.1;
    return static_cast<std::uint32_t>(best / 2 * strictness * 255);
}

// Completes what a reader sees as one thing: a table or list that is mostly kept, code beside kept text.
class Mender {
public:
    Mender(const PageView& page, std::vector<std::uint8_t>& chosen) : page_(page), chosen_(chosen) {}

    void run() {
        drop_navigation();
        mend_rows();
        mend_table_headers();
        mend_code();
        mend_headings();
    }

private:
    // A <nav> of links is never what a reader came for, as long as there is anything else. The model knows
    // that of long pages. On short pages its threshold is low.
    void drop_navigation() {
        if (!page_.tree.may_have(Tag::nav)) return;
        std::vector<std::uint8_t> others = chosen_;
        for (NodeId id = 0; id < page_.tree.size(); ++id) {
            if (!page_.tree.is(id, Tag::nav)) continue;
            const auto inside = page_.inside(id);
            if (2 * inside.link_words > inside.words)
                std::fill(others.begin() + page_.blocks.before[id],
                          others.begin() + page_.blocks.before[page_.tree[id].end], 0);
            id = page_.tree[id].end - 1;
        }
        if (std::ranges::find(others, 1) != others.end()) chosen_ = std::move(others);
    }

    // Keeps a list or table whole if four fifths of its words are kept.
    void mend_rows() {
        static constexpr html::TagSet rows{Tag::table, Tag::ul, Tag::ol, Tag::dl};
        std::vector<std::uint32_t> kept_words(chosen_.size() + 1);
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            kept_words[at + 1] = kept_words[at] + (chosen_[at] != 0 ? page_.blocks.list[at].text.words : 0);
        }
        for (NodeId id = 0; id < page_.tree.size(); ++id) {
            const html::Node& node = page_.tree[id];
            if (node.kind != html::NodeKind::element || !rows.contains(node.tag)) continue;
            const std::uint32_t first = page_.blocks.before[id], last = page_.blocks.before[node.end];
            if (5 * (kept_words[last] - kept_words[first]) <= 4 * page_.inside(id).words) continue;
            std::fill(chosen_.begin() + first, chosen_.begin() + last, 1);
            id = node.end - 1;
        }
    }

    // Cells without their header say nothing. Headers are short, and look like labels on their own.
    void mend_table_headers() {
        if (!page_.tree.may_have(Tag::th)) return;
        for (NodeId id = 0; id < page_.tree.size(); ++id) {
            if (!page_.tree.is(id, Tag::table)) continue;
            const auto first = chosen_.begin() + page_.blocks.before[id];
            const auto last = chosen_.begin() + page_.blocks.before[page_.tree[id].end];
            if (std::find(first, last, 1) == last) continue;
            for (auto at = first; at != last; ++at) {
                const auto place = static_cast<std::size_t>(at - chosen_.begin());
                if (page_.tree.is(page_.blocks.list[place].container, Tag::th)) *at = 1;
            }
            id = page_.tree[id].end - 1;
        }
    }

    // Code belongs to the text around it, however little it looks like text.
    void mend_code() {
        for (std::size_t at = 1; at < chosen_.size(); ++at) {
            const Block& block = page_.blocks.list[at];
            if (chosen_[at] != 0 || !page_.tree.is(block.container, Tag::pre)) continue;
            const NodeId wider = page_.surroundings[block.container].wider;
            if (chosen_[at - 1] != 0 && wider != html::no_node &&
                page_.tree.contains(wider, page_.blocks.list[at - 1].first)) {
                chosen_[at] = 1;
            }
        }
    }

    // A heading belongs to the text below it, if that text follows at once within the same element. The title
    // of an article is left to the model: most readers get it as metadata.
    void mend_headings() {
        const bool is_article = page_.cues.is_article_by_open_graph || page_.cues.declares(Kind::article);
        for (std::size_t at = chosen_.size(); at-- > 1;) {
            const Block& heading = page_.blocks.list[at - 1];
            const html::Node& node = page_.tree[heading.container];
            const int level = heading_level(page_.tree, heading.container);
            if (chosen_[at - 1] != 0 || chosen_[at] == 0 || level == 0 || (level == 1 && is_article))
                continue;
            if (page_.tree.contains(node.parent, page_.blocks.list[at].first)) chosen_[at - 1] = 1;
        }
    }

    const PageView& page_;
    std::vector<std::uint8_t>& chosen_;
};

}  // namespace

namespace {

// Sentences without links, in a paragraph of the page's <article> or <main>.
bool is_plain_prose(const PageView& page, const Block& block) {
    constexpr std::uint32_t fewest_words = 40, fewest_sentences = 3;
    const TextCounts& text = block.text;
    if (text.words < fewest_words || text.sentence_ends < fewest_sentences || text.link_words > 0)
        return false;
    if (!page.tree.is(block.container, Tag::p)) return false;
    const Surroundings& around = page.surroundings[block.container];
    return around.in(Region::article) || around.in(Region::main);
}

}  // namespace

std::vector<std::uint8_t> choose_blocks(const PageView& page, std::span<const std::uint8_t> likely) {
    const std::uint32_t threshold = best_threshold(page, likely);
    std::vector<std::uint8_t> chosen(likely.size());
    for (std::size_t at = 0; at < likely.size(); ++at) {
        // Prose needs less likelihood: a page full of something else must not outvote its one paragraph.
        const bool is_near = 2 * likely[at] >= threshold && likely[at] < threshold;
        chosen[at] = likely[at] >= threshold || (is_near && is_plain_prose(page, page.blocks.list[at]));
    }
    drop_repeated_text(page, chosen);
    Mender(page, chosen).run();
    return chosen;
}

namespace {

// Marks nodes together with their ancestors.
class Keeper {
public:
    Keeper(const PageView& page, std::span<const std::uint8_t> chosen)
        : page_(page), chosen_(chosen), selection_(page.tree, false) {}

    Selection run() {
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] != 0) keep_block(page_.blocks.list[at]);
        }
        for (NodeId id = 1; id < page_.tree.size(); ++id) {
            const html::Node& node = page_.tree[id];
            if (node.kind != html::NodeKind::element || selection_.keeps(id)) continue;
            if (page_.visibility.never_shown(id)) {
                id = node.end - 1;
            } else if (belongs_to_parent(id, node)) {
                selection_.keep(id);
            } else if (page_.tree.is(id, Tag::img) && is_among_kept(id)) {
                keep_upwards(id);
            }
        }
        return std::move(selection_);
    }

private:
    void keep_block(const Block& block) {
        for (NodeId id = block.first; id <= block.last; ++id) {
            if (page_.visibility.never_shown(id)) {
                id = page_.tree[id].end - 1;
            } else {
                selection_.keep(id);
            }
        }
        keep_upwards(block.first);
    }

    void keep_upwards(NodeId id) {
        selection_.keep(id);
        for (id = page_.tree[id].parent; id != html::no_node && !selection_.keeps(id);
             id = page_.tree[id].parent) {
            selection_.keep(id);
        }
    }

    bool belongs_to_parent(NodeId id, const html::Node& node) const {
        if (!selection_.keeps(node.parent)) return false;
        // A cell stays even when its text does not. Otherwise the columns after it would move.
        if (node.tag == Tag::td || node.tag == Tag::th) return true;
        return kept_with_parent.contains(node.tag) && block_count(id) == 0;
    }

    std::uint32_t block_count(NodeId id) const {
        const auto [first, end] = page_.blocks.inside(page_.tree, id);
        return end - first;
    }

    bool is_among_kept(NodeId id) const {
        const std::uint32_t next = page_.blocks.before[id];
        return next > 0 && next < chosen_.size() && chosen_[next - 1] != 0 && chosen_[next] != 0;
    }

    const PageView& page_;
    std::span<const std::uint8_t> chosen_;
    Selection selection_;
};

}  // namespace

Selection select_blocks(const PageView& page, std::span<const std::uint8_t> chosen) {
    return Keeper(page, chosen).run();
}

Selection select_main_content(const html::Tree& tree) {
    const PageView page(tree);
    return select_blocks(page, choose_blocks(page, judge_blocks(page)));
}

// The selection for --full-page: everything a browser would show.

Selection select_full_page(const html::Tree& tree) {
    Selection selection(tree);
    const Visibility visibility(tree);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!visibility.never_shown(id) && !visibility.hides(id)) continue;
        const NodeId end = tree[id].end;
        for (; id < end; ++id) selection.drop(id);
        --id;
    }
    return selection;
}

namespace {

// A set of hashes that never grows. It is made for the number of words that were counted, and holds no more.
class HashSet {
public:
    explicit HashSet(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)), left_(most) {}

    // True if an earlier block brought the hash. A refrain within one block is not a second copy.
    bool insert(std::uint64_t hash, std::uint32_t block) {
        if (left_ == 0) return false;
        hash |= 1;  // 0 marks a free slot
        const std::size_t mask = slots_.size() - 1;
        Slot* const slots = slots_.data();  // no index is greater than the mask
        std::size_t at = (hash >> 32) & mask;
        while (slots[at].hash != 0 && slots[at].hash != hash) at = (at + 1) & mask;
        if (slots[at].hash == hash) return slots[at].block < block;
        --left_;
        slots[at] = {hash, block};
        return false;
    }

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t block = 0;
    };

    std::vector<Slot> slots_;
    std::size_t left_;
};

// Calls `found` with a hash of each run of four words.
template <typename Found>
void each_run(std::span<const std::uint32_t> words, Found found) {
    constexpr std::size_t length = 4;
    const std::uint32_t* run = words.data();
    for (std::size_t left = words.size(); left >= length; --left, ++run) {
        found(run[0] * 0x9E3779B97F4A7C15U + run[1] * 0xC2B2AE3D27D4EB4FU + run[2] * 0x165667B19E3779F9U +
              run[3] * 0xD6E8FEB86659FD93U);
    }
}

// Shorter blocks are labels: they repeat without being copies of anything.
constexpr std::size_t fewest_words = 8;
// A sentence said twice is style; a passage said twice is a second copy.
constexpr std::uint32_t passage_words = 60;

bool is_mostly_known(std::size_t known, std::size_t runs) {
    return 5 * known >= 4 * runs;
}

class RepeatFinder {
public:
    RepeatFinder(const PageView& page, std::vector<std::uint8_t>& chosen) : page_(page), chosen_(chosen) {}

    void run() {
        if (!may_have_copies()) return;
        HashSet seen(count_words());
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] == 0) continue;
            ++chosen_so_far_;
            if (is_repeated(page_.blocks.list[at], seen)) add_to_row(at);
        }
        drop_row();
    }

private:
    std::size_t count_words() const {
        std::size_t words = 0;
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] != 0) words += page_.blocks.words_of(page_.blocks.list[at]).size();
        }
        return words;
    }

    // Nearly all pages repeat nothing, and a few bits per word show it: a run is new if its bit was not set.
    // The bit of a new run may be set already, so this finds all repeated runs and a few more.
    bool may_have_copies() const {
        constexpr std::size_t bits_per_word = 16;
        std::vector<std::uint64_t> bits(std::bit_ceil(count_words() * bits_per_word / 64 + 1));
        const std::size_t mask = bits.size() - 1;
        std::uint32_t suspect_words = 0;
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] == 0) continue;
            const auto words = page_.blocks.words_of(page_.blocks.list[at]);
            std::size_t runs = 0, known = 0;
            each_run(words, [&](std::uint64_t run) {
                std::uint64_t& word = bits.data()[(run >> 40) & mask];
                const std::uint64_t bit = std::uint64_t{1} << (run >> 34 & 63);
                known += (word & bit) != 0;
                word |= bit;
                ++runs;
            });
            if (words.size() >= fewest_words && is_mostly_known(known, runs))
                suspect_words += page_.blocks.list[at].text.words;
        }
        return suspect_words >= passage_words;
    }

    // Remembers the block's runs of words; true if nearly all were known.
    bool is_repeated(const Block& block, HashSet& seen) const {
        std::size_t runs = 0, known = 0;
        const auto words = page_.blocks.words_of(block);
        each_run(words, [&](std::uint64_t run) {
            ++runs;
            known += seen.insert(run, chosen_so_far_);
        });
        return words.size() >= fewest_words && !is_reference(block) && is_mostly_known(known, runs);
    }

    bool is_reference(const Block& block) const {
        static constexpr html::TagSet reference{Tag::pre, Tag::dd, Tag::td};
        return reference.contains(page_.tree[block.container].tag) ||
               page_.surroundings[page_.innermost(block)].in(Region::preformatted);
    }

    // Repeated blocks that follow each other, with a heading or two between them, form a row.
    void add_to_row(std::size_t at) {
        constexpr std::size_t widest_gap = 3;
        if (!row_.empty() && chosen_so_far_ - row_end_ > widest_gap) drop_row();
        row_.push_back(at);
        row_words_ += page_.blocks.list[at].text.words;
        row_end_ = chosen_so_far_;
    }

    void drop_row() {
        if (row_words_ >= passage_words) {
            for (const std::size_t at : row_) chosen_[at] = 0;
        }
        row_.clear();
        row_words_ = 0;
    }

    const PageView& page_;
    std::vector<std::uint8_t>& chosen_;
    std::vector<std::size_t> row_;
    std::uint32_t row_words_ = 0;
    std::uint32_t row_end_ = 0;
    std::uint32_t chosen_so_far_ = 0;
};

}  // namespace

void drop_repeated_text(const PageView& page, std::vector<std::uint8_t>& chosen) {
    RepeatFinder(page, chosen).run();
}

}  // namespace quarry::extract
