// A page as a list of text blocks: runs of inline content under one block-level element. Main content is
// chosen block by block; prefix sums over blocks make "how much text and how many links are inside this
// element" a subtraction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "extract/content/visibility.h"
#include "extract/content/vocabulary.h"
#include "html/tree.h"

namespace quarry::extract {

// What one pass over the text of a block finds out. Counts only: no language is known.
struct TextCounts {
    std::uint32_t words = 0;       // runs of letters and digits; two CJK characters count as one
    std::uint32_t link_words = 0;  // of these, inside <a>
    std::uint32_t letters = 0;
    std::uint32_t digits = 0;
    std::uint32_t shouted = 0;        // words of two or more letters in capitals only
    std::uint32_t capitalised = 0;    // words that begin with an ASCII capital
    std::uint32_t short_words = 0;    // of at most three bytes: articles, prepositions, pronouns
    std::uint32_t sentence_ends = 0;  // . ! ? and their CJK forms, before a space or the end
    std::uint32_t commas = 0;
    std::uint32_t separators = 0;   // | / > · • » and the like
    std::uint32_t years = 0;        // 19xx and 20xx
    std::uint32_t prices = 0;       // currency signs
    std::uint64_t fingerprint = 0;  // a hash of the words in order
    std::int32_t vocabulary = 0;    // sum of the learnt weights of the words
    bool has_copyright = false;
    bool ends_sentence = false;  // the last visible character ends or introduces something: . ! ? : ;
};

struct Block {
    html::NodeId container = 0;  // the nearest block-level ancestor
    html::NodeId first = 0;      // its first and last text nodes; all between belong to it
    html::NodeId last = 0;
    std::uint32_t first_word = 0;  // its words are Blocks::words from here to end_word
    std::uint32_t end_word = 0;
    TextCounts text{};
};

// The blocks in document order, and for every node (and the end) how many blocks begin before it.
struct Blocks {
    std::vector<Block> list{};
    std::vector<std::uint32_t> before{};
    std::vector<std::uint32_t> words{};  // WordHash of all words of all blocks

    // The blocks that begin inside the node: those from `first` on, up to `end`.
    struct Range {
        std::uint32_t first = 0, end = 0;
    };
    Range inside(const html::Tree& tree, html::NodeId id) const {
        const html::NodeId node_end = tree[id].end;
        // The tree has checked `id`; a node ends in the tree, for each of whose nodes there is an entry.
        const std::uint32_t* blocks_before = before.data();
        return {blocks_before[id], blocks_before[node_end]};
    }
    std::span<const std::uint32_t> words_of(const Block& block) const {
        return std::span(words).subspan(block.first_word, block.end_word - block.first_word);
    }
};

Blocks segment(const html::Tree& tree, const Visibility& visibility, const Vocabulary& vocabulary);

}  // namespace quarry::extract
