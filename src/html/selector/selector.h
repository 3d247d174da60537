// CSS selectors over a parsed page: Selectors Level 3, with :is, :where, :not and :has of Level 4. A parsed
// selector is plain data: a list of complex selectors, each a chain of compounds, each a conjunction of
// simple selectors. All of a selector is evaluated for all of the tree at once, from the inside out: one
// preorder pass for each chain, carrying bit masks instead of backtracking. The cost is at most (nodes x
// simple selectors), also for :has and for selectors made to be slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "html/tree.h"

namespace quarry::html {

// A parsed CSS selector as plain data: a list of complex selectors, each a chain of compounds, each a
// conjunction of simple selectors. Written by selector_parser.cc, read by selector.cc.

enum class SimpleKind : std::uint8_t {
    universal,  // *
    type,       // name: as written; HTML elements compare in lower case
    id,         // name
    class_,     // name
    attribute,  // name, operation, value, value_case
    nth,        // step, offset, from_end, of_type; `nested` if "of S" was given
    is,         // nested; also :where, which differs only in specificity
    not_,       // nested
    has,        // nested, each relative to the element
    root,
    empty,
    only_child,
    only_of_type,
    checked,
    disabled,
    enabled,
    link,   // :link and :any-link
    lang,   // value
    never,  // :hover, :visited and the like, which no stored page has
};

enum class AttributeOperation : std::uint8_t {
    exists,
    equals,       // =
    includes,     // ~=
    dash_match,   // |=
    starts_with,  // ^=
    ends_with,    // $=
    contains,     // *=
};

enum class ValueCase : std::uint8_t { by_attribute, ignored, exact };

struct SelectorList;

struct SimpleSelector {
    SimpleKind kind = SimpleKind::universal;
    AttributeOperation operation = AttributeOperation::exists;
    ValueCase value_case = ValueCase::by_attribute;
    bool from_end = false;
    bool of_type = false;
    std::int32_t step = 0;    // the a of an+b
    std::int32_t offset = 0;  // the b
    std::string name{};
    std::string value{};
    // Shared because a selector contains selectors and is copied as a value; nobody changes it.
    std::shared_ptr<const SelectorList> nested{};
};

enum class Combinator : std::uint8_t { descendant, child, next_sibling, later_sibling };

struct CompoundSelector {
    // How this compound hangs on the one before it. For the first of a :has() argument, on the element
    // itself.
    Combinator combinator = Combinator::descendant;
    std::vector<SimpleSelector> simples{};
};

struct ComplexSelector {
    std::vector<CompoundSelector> compounds{};  // in the order written; at least one, at most 64
};

struct SelectorList {
    std::vector<ComplexSelector> selectors{};  // at least one
};

// CSS selectors over a parsed page: Selectors Level 3, with :is, :where, :not and :has of Level 4.
//
// All of a selector is evaluated for all of the tree at once, from the inside out: one preorder pass for each
// chain, carrying bit masks instead of backtracking. The cost is at most (nodes x simple selectors), also for
// :has and for selectors made to be slow.

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
