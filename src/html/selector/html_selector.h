// CSS selectors over a parsed page: Selectors Level 3, with :is, :where, :not and :has of Level 4.
//
// All of a selector is evaluated for all of the tree at once, from the inside out: one preorder pass for each
// chain, carrying bit masks instead of backtracking. The cost is at most (nodes x simple selectors), also for
// :has and for selectors made to be slow.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "html/selector/selector.h"
#include "html/tree.h"

namespace quarry::html {

struct SelectorLimits {
    static constexpr std::size_t bytes = 4096;
    static constexpr std::size_t simple_selectors = 256;
    static constexpr std::size_t compounds_in_chain = 64;
    static constexpr std::size_t nesting = 8;  // of :is(:not(…))
};

// Parses a comma-separated list such as "article > p:first-child, .note". Fails with `invalid_argument` and a
// sentence that says where, or `too_large` beyond the limits above. Pseudo-elements and namespace prefixes
// other than "*|" name nothing in a stored page and are errors; an invalid argument of :is() is one too.
Result<SelectorList> parse_selectors(std::string_view text);

// All elements that match, in document order. Contents of <template> are never matched, as in a browser.
std::vector<NodeId> select(const Tree& tree, const SelectorList& selectors);

// The same as a mark for each node of the tree (1 where it matches), for callers that ask about many nodes.
std::vector<std::uint8_t> mark_matches(const Tree& tree, const SelectorList& selectors);

// Whether one element matches. Evaluates the whole tree: ask mark_matches when there is more than one.
bool matches(const Tree& tree, NodeId id, const SelectorList& selectors);

}  // namespace quarry::html
