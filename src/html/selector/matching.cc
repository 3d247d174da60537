#include "html/selector/selector_simple.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "html/characters.h"

namespace quarry::html {
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
    return equals_ignoring_case(type, "checkbox") || equals_ignoring_case(type, "radio");
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
