#include "extract/content/page_view.h"

namespace quarry::extract {

using html::NodeId;
using html::Tag;

namespace {

std::vector<BlockSums> sum_blocks(const Blocks& blocks) {
    std::vector<BlockSums> sums(blocks.list.size() + 1);
    for (std::size_t at = 0; at < blocks.list.size(); ++at) {
        const TextCounts& text = blocks.list[at].text;
        BlockSums sum = sums[at];
        ++sum.blocks;
        sum.words += text.words;
        sum.link_words += text.link_words;
        sum.prose_words += is_prose(text) ? text.words - text.link_words : 0;
        sums[at + 1] = sum;
    }
    return sums;
}

BlockKinds count_kinds(const html::Tree& tree, const Blocks& blocks) {
    BlockKinds kinds;
    for (const Block& block : blocks.list) {
        kinds.years += block.text.years != 0;
        kinds.prices += block.text.prices != 0;
        kinds.headings += heading_level(tree, block.container) != 0;
    }
    return kinds;
}

// Goes down from the document as long as one child holds `percent` of all prose.
NodeId find_prose_holder(const PageView& page, std::uint64_t percent) {
    const std::uint64_t wanted = page.total().prose_words * percent / 100;
    NodeId holder = html::document_node;
    NodeId child = page.tree.first_child(holder);
    while (wanted != 0 && child != html::no_node) {
        if (page.inside(child).prose_words > wanted) {
            holder = child;
            child = page.tree.first_child(child);
        } else {
            child = page.tree.next_sibling(child);
        }
    }
    return holder;
}

}  // namespace

bool is_prose(const TextCounts& text) {
    return text.words >= 12 && 3 * text.link_words <= text.words && text.sentence_ends + text.commas != 0;
}

PageView::PageView(const html::Tree& page_tree, const Vocabulary& vocabulary)
    : tree(page_tree),
      visibility(page_tree),
      blocks(segment(page_tree, visibility, vocabulary)),
      surroundings(read_surroundings(page_tree, blocks, visibility, vocabulary)),
      cues(read_page_cues(page_tree)),
      sums(sum_blocks(blocks)),
      kinds(count_kinds(page_tree, blocks)) {
    half_of_prose = find_prose_holder(*this, 50);
    most_of_prose = find_prose_holder(*this, 85);
}

}  // namespace quarry::extract
