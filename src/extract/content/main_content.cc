#include "extract/content/main_content.h"

#include <algorithm>
#include <array>

#include "extract/content/repeated_text.h"

namespace quarry::extract {

using html::NodeId;
using html::Tag;

namespace {

constexpr html::TagSet kept_with_parent{Tag::br,     Tag::hr,     Tag::wbr,   Tag::img,     Tag::picture,
                                        Tag::source, Tag::input,  Tag::td,    Tag::th,      Tag::tr,
                                        Tag::thead,  Tag::tbody,  Tag::tfoot, Tag::caption, Tag::video,
                                        Tag::audio,  Tag::iframe, Tag::math};

// The likelihood from which on a block is kept. Keeping the likeliest blocks down to a threshold, the
// expected F1 is 2 * (likely words kept) / (words kept + likely words of the page); the threshold that makes
// it greatest lies at half of that F1. So a page that is hard to judge gets a low one, and nothing is ever
// all dropped.
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

// Makes whole what a reader sees as one thing: a table or list that is mostly kept, code beside kept text.
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
    // that of long pages; on short ones its threshold is low.
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

    // Lists and tables of which four fifths of the words are kept are kept whole.
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

    // A heading belongs to what it heads, if that follows at once within the same element. The title of an
    // article is left to the model: most readers get it as metadata.
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
        // Prose needs less to be believed: a page full of something else must not outvote its one paragraph.
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
        // A cell stays even when its text does not, or the columns after it would move.
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

}  // namespace quarry::extract
