// A page prepared for judging its blocks: blocks, surroundings, what the page says about itself, and prefix
// sums that answer "how many words, link words, words of prose are inside this element" at once.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/content/blocks.h"
#include "extract/content/page_cues.h"
#include "extract/content/surroundings.h"
#include "html/tree.h"

namespace quarry::extract {

// Sums over the blocks before a block. Differences of two are sums over a range. Asked for all the time, so
// there are only four: they are subtracted at once.
struct BlockSums {
    std::uint32_t blocks = 0;
    std::uint32_t words = 0;
    std::uint32_t link_words = 0;
    std::uint32_t prose_words = 0;  // of blocks that read like running text

    BlockSums operator-(const BlockSums& other) const {
        return {blocks - other.blocks, words - other.words, link_words - other.link_words,
                prose_words - other.prose_words};
    }
};

// How many blocks of the page are or have these.
struct BlockKinds {
    std::uint32_t years = 0;
    std::uint32_t prices = 0;
    std::uint32_t headings = 0;
};

struct PageView {
    explicit PageView(const html::Tree& tree, const Vocabulary& vocabulary = learnt_vocabulary());

    BlockSums inside(html::NodeId id) const {
        const auto [first, end] = blocks.inside(tree, id);
        return sums.data()[end] - sums.data()[first];  // there is one sum more than blocks
    }
    const BlockSums& total() const { return sums.back(); }
    // The innermost element around the block's first text: where its names are.
    html::NodeId innermost(const Block& block) const { return tree[block.first].parent; }

    const html::Tree& tree;
    Visibility visibility;
    Blocks blocks;
    SurroundingsByNode surroundings;
    PageCues cues;
    std::vector<BlockSums> sums;  // one more than blocks
    BlockKinds kinds;
    // The innermost elements that hold at least half, and nearly all, of the page's prose.
    html::NodeId half_of_prose = html::document_node;
    html::NodeId most_of_prose = html::document_node;
};

// Running text: long enough for a sentence, and not a list of links.
bool is_prose(const TextCounts& text);

// 1 to 6 for headings, 0 for anything else.
inline int heading_level(const html::Tree& tree, html::NodeId id) {
    using html::Tag;
    const html::Node& node = tree[id];
    if (node.kind != html::NodeKind::element || node.tag < Tag::h1 || node.tag > Tag::h6) return 0;
    return static_cast<int>(node.tag) - static_cast<int>(Tag::h1) + 1;
}

}  // namespace quarry::extract
