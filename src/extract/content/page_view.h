// A page prepared for judging its blocks. It has the blocks, their surroundings, what the page says about
// itself (title, kind in Open Graph, JSON-LD and microdata), and prefix sums that answer "how many words,
// link words, words of prose are inside this element" at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "extract/content/blocks.h"
#include "extract/content/surroundings.h"
#include "html/tree.h"

namespace quarry::extract {

// What a page says about itself: its title, its kind in Open Graph, JSON-LD and microdata.

// Kinds of pages by declaration. A page may declare several, or none.
enum class Kind : std::uint8_t { article, product, discussion, questions, listing, organisation, count };

struct PageCues {
    std::uint32_t kinds = 0;                   // 1 << Kind, from JSON-LD and microdata
    bool is_article_by_open_graph = false;     // og:type article
    bool is_product_by_open_graph = false;     // og:type product
    std::uint32_t articles = 0;                // <article> elements
    std::uint32_t mains = 0;                   // <main> elements
    std::vector<std::uint32_t> title_words{};  // hashes of the words of <title>, sorted

    bool declares(Kind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; }
};

PageCues read_page_cues(const html::Tree& tree);

// How many of the words (hashes) are in the title.
std::size_t count_title_words(const PageCues& cues, std::span<const std::uint32_t> words);

// A page prepared for judging its blocks: blocks, surroundings, what the page says about itself, and prefix
// sums that answer "how many words, link words, words of prose are inside this element" at once.

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
