// Simple selectors bound to one tree. Names are looked up once. What depends on other nodes (:nth-child and
// its kin, the steps of :has()) is worked out for the whole tree beforehand, so that a test of one element
// looks at that element only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "html/selector/selector.h"
#include "html/tree.h"

namespace quarry::html {

// Where elements stand among their siblings, for a whole tree at once: :nth-child and its kin, and the steps
// that :has() takes from the elements inside to the ones outside.

using NodeMarks = std::vector<std::uint8_t>;  // by node id; 1 where something holds

// Visits every element outside of <template> contents in document order.
template <typename Visit>
void for_each_element(const Tree& tree, Visit&& visit) {
    for (NodeId id = 0; id < tree.size();) {
        if (tree[id].kind == NodeKind::template_contents) {
            id = tree[id].end;
            continue;
        }
        if (tree.is_element(id)) visit(id);
        ++id;
    }
}

// The elements whose place among their siblings is step*n+offset for an n >= 0. With `among`, only the
// marked siblings are counted, and only they can match.
NodeMarks mark_nth(const Tree& tree, const SimpleSelector& nth, const NodeMarks* among);

// The elements without a sibling element, or without one of their own type.
NodeMarks mark_only(const Tree& tree, bool of_type);

// The elements that have a marked element below them, as a child, as the next or as a later sibling.
NodeMarks step_outwards(const Tree& tree, const NodeMarks& marked, Combinator combinator);

// Simple selectors bound to one tree: names are looked up once, and what depends on other nodes is worked out
// for all of them beforehand, so that a test of one element looks at that element only.

class BoundSimple {
public:
    // `nested` are the matches of the selector's argument, where it has one.
    BoundSimple(const Tree& tree, const SimpleSelector& simple, NodeMarks nested);

    bool matches(NodeId id) const;

private:
    bool matches_type(const Node& node) const;
    bool matches_attribute(NodeId id) const;
    bool matches_value(std::string_view value, bool ignore_case) const;
    bool has_class(std::string_view classes) const;

    const Tree& tree_;
    const SimpleSelector& simple_;
    NodeMarks marks_;               // the answer for every node, for the kinds that look further than one
    std::optional<Tag> html_tag_;   // names of HTML elements and their attributes are in lower case;
    std::optional<Tag> other_tag_;  // those of SVG and MathML are as written
    std::optional<Attr> html_attribute_;
    std::optional<Attr> other_attribute_;
    bool attribute_ignores_case_ = false;
};

}  // namespace quarry::html
