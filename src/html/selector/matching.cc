#include "html/selector/matching.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/ascii.h"
#include "html/characters.h"

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

namespace {

bool same(std::string_view a, std::string_view b, bool ignore_case) {
    if (!ignore_case) return a == b;
    return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

// The HTML standard's attributes whose values selectors compare without case. Sorted.
constexpr std::array<std::string_view, 46> caseless_attributes = {
    "accept",     "accept-charset", "align",     "alink",    "axis",     "bgcolor", "charset",
    "checked",    "clear",          "codetype",  "color",    "compact",  "declare", "defer",
    "dir",        "direction",      "disabled",  "enctype",  "face",     "frame",   "hreflang",
    "http-equiv", "lang",           "language",  "link",     "media",    "method",  "multiple",
    "nohref",     "noresize",       "noshade",   "nowrap",   "readonly", "rel",     "rev",
    "rules",      "scope",          "scrolling", "selected", "shape",    "target",  "text",
    "type",       "valign",         "valuetype", "vlink"};
static_assert(std::ranges::is_sorted(caseless_attributes));

constexpr TagSet can_be_disabled{Tag::button, Tag::input,    Tag::select,  Tag::textarea,
                                 Tag::option, Tag::optgroup, Tag::fieldset};

bool is_checked(const Tree& tree, NodeId id) {
    if (tree.is(id, Tag::option)) {
        const auto selected = tree.find_attribute_name("selected");
        return selected && tree.attribute(id, *selected);
    }
    if (!tree.is(id, Tag::input) || !tree.attribute(id, Attr::checked)) return false;
    const std::string_view type = tree.attribute_or_empty(id, Attr::type);
    return equals_ignore_case(type, "checkbox") || equals_ignore_case(type, "radio");
}

bool is_link(const Tree& tree, NodeId id) {
    return (tree.is(id, Tag::a) || tree.is(id, Tag::area)) && tree.attribute(id, Attr::href);
}

bool is_empty(const Tree& tree, NodeId id) {
    for (NodeId child = tree.first_child(id); child != no_node; child = tree.next_sibling(child)) {
        if (tree.is_element(child) || (tree.is_text(child) && !tree[child].text.empty())) return false;
    }
    return true;
}

// A control is disabled by its own attribute or by a fieldset or group around it (the legend's exemption is
// left out: nothing in a stored page depends on it).
NodeMarks mark_disabled(const Tree& tree) {
    NodeMarks disabled(tree.size(), 0);
    for_each_element(tree, [&](NodeId id) {
        const Node& node = tree[id];
        const bool inherits = node.parent != no_node && disabled[node.parent] != 0;
        const bool can_be = node.space == Namespace::html && can_be_disabled.contains(node.tag);
        disabled[id] = inherits || (can_be && tree.attribute(id, Attr::disabled));
    });
    for_each_element(tree, [&](NodeId id) {
        const Node& node = tree[id];
        if (node.space != Namespace::html || !can_be_disabled.contains(node.tag)) disabled[id] = 0;
    });
    return disabled;
}

// The element's language, its own or inherited, is `wanted` or a variety of it ("en" finds "en-GB").
NodeMarks mark_language(const Tree& tree, std::string_view wanted) {
    NodeMarks marks(tree.size(), 0);
    for_each_element(tree, [&](NodeId id) {
        const auto own = tree.attribute(id, Attr::lang);
        if (!own) {
            marks[id] = tree[id].parent != no_node && marks[tree[id].parent] != 0;
            return;
        }
        const bool ended =
            own->size() == wanted.size() || (own->size() > wanted.size() && (*own)[wanted.size()] == '-');
        marks[id] = ended && !wanted.empty() && same(own->substr(0, wanted.size()), wanted, true);
    });
    return marks;
}

NodeMarks inverted(NodeMarks marks) {
    for (std::uint8_t& mark : marks) mark = mark == 0;
    return marks;
}

NodeMarks marks_of(const Tree& tree, const SimpleSelector& simple, NodeMarks nested) {
    switch (simple.kind) {
        case SimpleKind::nth: return mark_nth(tree, simple, simple.nested ? &nested : nullptr);
        case SimpleKind::only_child: return mark_only(tree, false);
        case SimpleKind::only_of_type: return mark_only(tree, true);
        case SimpleKind::not_: return inverted(std::move(nested));
        case SimpleKind::disabled:
        case SimpleKind::enabled: return mark_disabled(tree);
        case SimpleKind::lang: return mark_language(tree, simple.value);
        default: return nested;
    }
}

}  // namespace

BoundSimple::BoundSimple(const Tree& tree, const SimpleSelector& simple, NodeMarks nested)
    : tree_(tree), simple_(simple), marks_(marks_of(tree, simple, std::move(nested))) {
    const std::string lower = lower_case(simple.name);
    if (simple.kind == SimpleKind::type) {
        html_tag_ = tree.find_tag(lower);
        other_tag_ = tree.find_tag(simple.name);
    } else if (simple.kind == SimpleKind::attribute) {
        html_attribute_ = tree.find_attribute_name(lower);
        other_attribute_ = tree.find_attribute_name(simple.name);
        attribute_ignores_case_ = std::ranges::binary_search(caseless_attributes, lower);
    }
}

bool BoundSimple::matches(NodeId id) const {
    switch (simple_.kind) {
        case SimpleKind::universal: return true;
        case SimpleKind::never: return false;
        case SimpleKind::type: return matches_type(tree_[id]);
        case SimpleKind::attribute: return matches_attribute(id);
        case SimpleKind::class_: return has_class(tree_.attribute_or_empty(id, Attr::class_));
        case SimpleKind::id: {
            const auto own = tree_.attribute(id, Attr::id);
            return own && same(*own, simple_.name, tree_.quirks() == Quirks::full);
        }
        case SimpleKind::root: return tree_[id].parent == document_node;
        case SimpleKind::empty: return is_empty(tree_, id);
        case SimpleKind::checked: return is_checked(tree_, id);
        case SimpleKind::link: return is_link(tree_, id);
        case SimpleKind::enabled:
            return can_be_disabled.contains(tree_[id].tag) && tree_[id].space == Namespace::html &&
                   marks_[id] == 0;
        default: return marks_[id] != 0;
    }
}

bool BoundSimple::matches_type(const Node& node) const {
    return node.tag == (node.space == Namespace::html ? html_tag_ : other_tag_);
}

// Old pages without a doctype compare class names and ids without case.
bool BoundSimple::has_class(std::string_view classes) const {
    const bool ignore_case = tree_.quirks() == Quirks::full;
    while (!classes.empty()) {
        classes.remove_prefix(leading_space(classes));
        std::size_t end = 0;
        while (end < classes.size() && !is_space(classes[end])) ++end;
        if (end > 0 && same(classes.substr(0, end), simple_.name, ignore_case)) return true;
        classes.remove_prefix(end);
    }
    return false;
}

bool BoundSimple::matches_attribute(NodeId id) const {
    const bool is_html = tree_[id].space == Namespace::html;
    const auto name = is_html ? html_attribute_ : other_attribute_;
    if (!name) return false;
    const auto value = tree_.attribute(id, *name);
    if (!value) return false;
    const bool ignore_case =
        simple_.value_case == ValueCase::ignored ||
        (simple_.value_case == ValueCase::by_attribute && attribute_ignores_case_ && is_html);
    return matches_value(*value, ignore_case);
}

bool BoundSimple::matches_value(std::string_view value, bool ignore_case) const {
    const std::string_view wanted = simple_.value;
    const auto begins = [&](std::string_view text) {
        return text.size() >= wanted.size() && same(text.substr(0, wanted.size()), wanted, ignore_case);
    };
    switch (simple_.operation) {
        case AttributeOperation::exists: return true;
        case AttributeOperation::equals: return same(value, wanted, ignore_case);
        case AttributeOperation::dash_match:
            return begins(value) && (value.size() == wanted.size() || value[wanted.size()] == '-');
        case AttributeOperation::starts_with: return !wanted.empty() && begins(value);
        case AttributeOperation::ends_with:
            return !wanted.empty() && value.size() >= wanted.size() &&
                   begins(value.substr(value.size() - wanted.size()));
        case AttributeOperation::contains:
            return !wanted.empty() &&
                   !(ignore_case ? std::ranges::search(value, wanted, {}, to_lower, to_lower)
                                 : std::ranges::search(value, wanted))
                        .empty();
        case AttributeOperation::includes: break;
    }
    // A list of words: ask for each.
    for (std::size_t start = 0; start < value.size();) {
        start += leading_space(value.substr(start));
        std::size_t end = start;
        while (end < value.size() && !is_space(value[end])) ++end;
        if (end > start && same(value.substr(start, end - start), wanted, ignore_case)) return true;
        start = end;
    }
    return false;
}

}  // namespace quarry::html
