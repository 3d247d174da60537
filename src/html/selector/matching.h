// Where elements stand among their siblings, for a whole tree at once: :nth-child and its kin, and the steps
// that :has() takes from the elements inside to the ones outside.
#pragma once

#include <cstdint>
#include <vector>

#include "html/selector/selector.h"
#include "html/tree.h"

namespace quarry::html {

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

}  // namespace quarry::html
