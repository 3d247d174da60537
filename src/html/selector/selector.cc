#include "html/selector/selector.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "html/selector/matching.h"

namespace quarry::html {
namespace {

NodeMarks mark_any(const Tree& tree, const SelectorList& list);
NodeMarks mark_having(const Tree& tree, const SelectorList& list);

using BoundCompound = std::vector<BoundSimple>;

BoundCompound bind(const Tree& tree, const CompoundSelector& compound) {
    BoundCompound bound;
    for (const SimpleSelector& simple : compound.simples) {
        NodeMarks nested;
        if (simple.nested) {
            const bool is_relative = simple.kind == SimpleKind::has;
            nested = is_relative ? mark_having(tree, *simple.nested) : mark_any(tree, *simple.nested);
        }
        bound.emplace_back(tree, simple, std::move(nested));
    }
    return bound;
}

bool matches_all(const BoundCompound& compound, NodeId id) {
    return std::ranges::all_of(compound, [id](const BoundSimple& simple) { return simple.matches(id); });
}

// For one depth of the walk, which beginnings of the chain end at which nodes: bit i stands for the first
// i + 1 compounds.
struct Level {
    std::uint64_t here = 0;       // at the node last visited on this level
    std::uint64_t ancestors = 0;  // at that node or above it
    std::uint64_t previous = 0;   // at the element before the one to be visited next
    std::uint64_t earlier = 0;    // at any sibling before it
};

// Matches one chain against all elements in one walk. Because the walk is in document order, everything a
// combinator can look back to has been decided already: no backtracking, however the chain is made.
class ChainWalk {
public:
    ChainWalk(const Tree& tree, const ComplexSelector& complex) : tree_(tree), levels_(2) {
        for (const CompoundSelector& compound : complex.compounds) {
            compounds_.push_back(bind(tree, compound));
            combinators_.push_back(compound.combinator);
        }
    }

    void mark(NodeMarks& marks) {
        for_each_element(tree_, [&](NodeId id) {
            const std::size_t depth = tree_[id].depth;
            if (levels_.size() < depth + 2) levels_.resize(depth + 2);
            const std::uint64_t ends_here = beginnings_ending_at(id, levels_[depth - 1], levels_[depth]);
            Level& level = levels_[depth];
            level.here = level.previous = ends_here;
            level.ancestors = levels_[depth - 1].ancestors | ends_here;
            level.earlier |= ends_here;
            levels_[depth + 1] = {};
            if ((ends_here >> (compounds_.size() - 1) & 1) != 0) marks[id] = 1;
        });
    }

private:
    std::uint64_t beginnings_ending_at(NodeId id, const Level& parent, const Level& own) const {
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < compounds_.size(); ++i) {
            const bool is_possible = i == 0 || (reachable(combinators_[i], parent, own) >> (i - 1) & 1) != 0;
            if (is_possible && matches_all(compounds_[i], id)) result |= std::uint64_t{1} << i;
        }
        return result;
    }

    static std::uint64_t reachable(Combinator combinator, const Level& parent, const Level& own) {
        switch (combinator) {
            case Combinator::child: return parent.here;
            case Combinator::next_sibling: return own.previous;
            case Combinator::later_sibling: return own.earlier;
            case Combinator::descendant: break;
        }
        return parent.ancestors;
    }

    const Tree& tree_;
    std::vector<BoundCompound> compounds_;
    std::vector<Combinator> combinators_;
    std::vector<Level> levels_;
};

NodeMarks mark_any(const Tree& tree, const SelectorList& list) {
    NodeMarks marks(tree.size(), 0);
    for (const ComplexSelector& complex : list.selectors) ChainWalk(tree, complex).mark(marks);
    return marks;
}

// :has(a > b) from the inside out: the elements b, then those a that have such a child, then everything that
// has such an a inside. Each step is one pass, so no element is searched below twice.
NodeMarks mark_having(const Tree& tree, const SelectorList& list) {
    NodeMarks result(tree.size(), 0);
    for (const ComplexSelector& complex : list.selectors) {
        NodeMarks marks(tree.size(), 1);
        for (std::size_t i = complex.compounds.size(); i-- > 0;) {
            const BoundCompound compound = bind(tree, complex.compounds[i]);
            NodeMarks matched(tree.size(), 0);
            for_each_element(tree,
                             [&](NodeId id) { matched[id] = marks[id] != 0 && matches_all(compound, id); });
            marks = step_outwards(tree, matched, complex.compounds[i].combinator);
        }
        std::ranges::transform(result, marks, result.begin(), std::bit_or());
    }
    return result;
}

}  // namespace

std::vector<std::uint8_t> mark_matches(const Tree& tree, const SelectorList& selectors) {
    return mark_any(tree, selectors);
}

std::vector<NodeId> select(const Tree& tree, const SelectorList& selectors) {
    const NodeMarks marks = mark_matches(tree, selectors);
    std::vector<NodeId> selected;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (marks[id] != 0) selected.push_back(id);
    }
    return selected;
}

bool matches(const Tree& tree, NodeId id, const SelectorList& selectors) {
    return mark_matches(tree, selectors)[id] != 0;
}

}  // namespace quarry::html
