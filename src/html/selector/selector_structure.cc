#include "html/selector/matching.h"

#include <algorithm>
#include <span>

namespace quarry::html {
namespace {

// The element children of each node in turn. Every element is visited once, so the whole is linear.
template <typename Visit>
void for_each_family(const Tree& tree, Visit&& visit) {
    std::vector<NodeId> children;
    for (NodeId parent = 0; parent < tree.size();) {
        if (tree[parent].kind == NodeKind::template_contents) {
            parent = tree[parent].end;
            continue;
        }
        children.clear();
        for (NodeId child = tree.first_child(parent); child != no_node; child = tree.next_sibling(child)) {
            if (tree.is_element(child)) children.push_back(child);
        }
        if (!children.empty()) visit(std::span<NodeId>(children));
        ++parent;
    }
}

// Is there an n >= 0 with step * n + offset == place?
bool is_nth(std::int64_t place, std::int64_t step, std::int64_t offset) {
    const std::int64_t distance = place - offset;
    if (step == 0) return distance == 0;
    return distance % step == 0 && distance / step >= 0;
}

// Counts of elements by type. Kept between families; only the entries that were used are cleared.
class TypeCounts {
public:
    std::uint32_t& operator[](const Node& node) {
        const auto index = static_cast<std::size_t>(node.tag) * 3 + static_cast<std::size_t>(node.space);
        if (index >= counts_.size()) counts_.resize(index + 1);
        return counts_[index];
    }
    void clear(const Tree& tree, std::span<const NodeId> children) {
        for (const NodeId child : children) (*this)[tree[child]] = 0;
    }

private:
    std::vector<std::uint32_t> counts_;
};

NodeMarks mark_with_descendant(const Tree& tree, const NodeMarks& marked) {
    NodeMarks result(tree.size(), 0);
    NodeId nearest = tree.size();  // the first marked node behind the current one
    for (NodeId id = tree.size(); id-- > 0;) {
        result[id] = nearest < tree[id].end;
        if (marked[id] != 0) nearest = id;
    }
    return result;
}

NodeMarks mark_parents(const Tree& tree, const NodeMarks& marked) {
    NodeMarks result(tree.size(), 0);
    for_each_element(tree, [&](NodeId id) {
        if (marked[id] != 0) result[tree[id].parent] = 1;
    });
    return result;
}

NodeMarks mark_earlier_siblings(const Tree& tree, const NodeMarks& marked, bool only_previous) {
    NodeMarks result(tree.size(), 0);
    for_each_family(tree, [&](std::span<NodeId> children) {
        bool seen = false;
        for (std::size_t i = children.size(); i-- > 0;) {
            result[children[i]] = seen;
            seen = marked[children[i]] != 0 || (seen && !only_previous);
        }
    });
    return result;
}

}  // namespace

NodeMarks mark_nth(const Tree& tree, const SimpleSelector& nth, const NodeMarks* among) {
    NodeMarks result(tree.size(), 0);
    TypeCounts of_type;
    for_each_family(tree, [&](std::span<NodeId> children) {
        if (nth.from_end) std::ranges::reverse(children);
        std::uint32_t of_any_type = 0;
        for (const NodeId child : children) {
            if (among != nullptr && (*among)[child] == 0) continue;
            const std::uint32_t place = nth.of_type ? ++of_type[tree[child]] : ++of_any_type;
            result[child] = is_nth(place, nth.step, nth.offset);
        }
        if (nth.of_type) of_type.clear(tree, children);
    });
    return result;
}

NodeMarks mark_only(const Tree& tree, bool of_type) {
    NodeMarks result(tree.size(), 0);
    TypeCounts counts;
    for_each_family(tree, [&](std::span<NodeId> children) {
        if (!of_type) {
            if (children.size() == 1) result[children[0]] = 1;
            return;
        }
        for (const NodeId child : children) ++counts[tree[child]];
        for (const NodeId child : children) result[child] = counts[tree[child]] == 1;
        counts.clear(tree, children);
    });
    return result;
}

NodeMarks step_outwards(const Tree& tree, const NodeMarks& marked, Combinator combinator) {
    switch (combinator) {
        case Combinator::child: return mark_parents(tree, marked);
        case Combinator::next_sibling: return mark_earlier_siblings(tree, marked, true);
        case Combinator::later_sibling: return mark_earlier_siblings(tree, marked, false);
        case Combinator::descendant: break;
    }
    return mark_with_descendant(tree, marked);
}

}  // namespace quarry::html
