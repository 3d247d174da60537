#include "extract/markdown/heading_anchor.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "extract/markdown/classes.h"

namespace quarry::extract {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet headings{Tag::h1, Tag::h2, Tag::h3,      Tag::h4,         Tag::h5,
                                Tag::h6, Tag::dt, Tag::caption, Tag::figcaption, Tag::summary};

constexpr int levels_to_heading = 4;
constexpr NodeId most_nodes = 16;

NodeId heading_around(const Tree& tree, NodeId id) {
    NodeId ancestor = tree[id].parent;
    for (int level = 0; level < levels_to_heading && ancestor != html::no_node; ++level) {
        if (tree.is_element(ancestor) && headings.contains(tree[ancestor].tag)) return ancestor;
        ancestor = tree[ancestor].parent;
    }
    return html::no_node;
}

std::string_view trimmed_text(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n\f\r");
    return begin == std::string_view::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(" \t\n\f\r") - begin + 1);
}

bool is_sign(std::string_view text) {
    static constexpr std::array<std::string_view, 8> signs{"¶", "§", "🔗", "∞", "☍", "⚓", "\u200B", "link"};
    const bool icon = text.size() == 3 && (text[0] == '\xEE' || (text[0] == '\xEF' && text[1] < '\xA4'));
    return icon || text.find_first_not_of('#') == std::string_view::npos ||
           std::ranges::find(signs, text) != signs.end();
}

// An icon, or nothing at all, counts as a sign; a picture may be the heading itself.
bool shows_only_a_sign(const Tree& tree, NodeId id) {
    const NodeId end = tree[id].end;
    if (end - id > most_nodes) return false;
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is(inside, Tag::img)) return false;
        if (tree.is_text(inside) && !is_sign(trimmed_text(tree[inside].text))) return false;
    }
    return true;
}

bool heading_says_more(const Tree& tree, NodeId heading, NodeId id) {
    const NodeId end = std::min(tree[heading].end, heading + 4 * most_nodes);
    for (NodeId inside = heading + 1; inside < end; ++inside) {
        if (inside == id) inside = tree[id].end;
        if (inside < end && tree.is_text(inside) && !trimmed_text(tree[inside].text).empty()) return true;
    }
    return false;
}

bool is_labelled_as_anchor(const Tree& tree, NodeId id) {
    for (const Attr name : {Attr::aria_label, Attr::title}) {
        const std::string_view label = tree.attribute_or_empty(id, name);
        for (const std::string_view phrase :
             {"ermalink", "ermanent link", "irect link to", "ink to this", "ink to section", "nchor"}) {
            if (label.find(phrase) != std::string_view::npos) return true;
        }
    }
    return false;
}

}  // namespace

bool is_heading_anchor(const Tree& tree, NodeId id) {
    const html::Node& node = tree[id];
    if (node.kind != html::NodeKind::element || node.space != html::Namespace::html) return false;
    const auto traits = markdown::class_traits(tree.attribute_or_empty(id, Attr::class_));
    const bool marked = traits.has(markdown::ClassTrait::heading_anchor);
    if (node.tag == Tag::span && marked) return tree.has_class(id, "mw-editsection");
    if (node.tag != Tag::a && node.tag != Tag::button) return false;
    const NodeId heading = heading_around(tree, id);
    if (!marked && heading == html::no_node) return false;
    if (shows_only_a_sign(tree, id)) return true;
    // Text for screen readers only, as in "Section titled …", comes with a label and a telling class.
    return marked && heading != html::no_node && is_labelled_as_anchor(tree, id) &&
           heading_says_more(tree, heading, id);
}

}  // namespace quarry::extract
