#include "extract/content/visibility.h"

#include <algorithm>
#include <limits>

#include "base/ascii.h"
#include "extract/content/display.h"
#include "extract/content/extract_text_scan.h"

namespace quarry::extract {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

bool is_declarative_shadow_root(const Tree& tree, NodeId id) {
    const auto name = tree.find_attribute_name("shadowrootmode");
    return name && tree.attribute(id, *name);
}

namespace {

constexpr html::TagSet never_rendered_tags{
    Tag::script, Tag::style, Tag::head, Tag::noembed, Tag::noframes, Tag::iframe,   Tag::datalist, Tag::title,
    Tag::meta,   Tag::link,  Tag::base, Tag::param,   Tag::area,     Tag::colgroup, Tag::frameset};

// Style attributes are short lists of declarations; a full CSS parser would find nothing more here.
bool style_hides(std::string_view style) {
    while (!style.empty()) {
        const std::size_t semicolon = std::min(style.find(';'), style.size());
        const std::string_view declaration = style.substr(0, semicolon);
        style.remove_prefix(std::min(semicolon + 1, style.size()));
        const std::size_t colon = declaration.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view property = trimmed(declaration.substr(0, colon));
        std::string_view value = declaration.substr(colon + 1);
        value = trimmed(value.substr(0, value.find('!')));
        if (same_letters(property, "display") && same_letters(value, "none")) return true;
        if (same_letters(property, "visibility") && same_letters(value, "hidden")) return true;
    }
    return false;
}

// True for what is never text for a reader. A <template shadowrootmode> is rendered, so it is not one of
// them.
bool is_never_rendered(const Tree& tree, NodeId id) {
    const html::Node& node = tree[id];
    if (node.kind != NodeKind::element) {
        return node.kind != NodeKind::text && node.kind != NodeKind::document &&
               node.kind != NodeKind::template_contents;
    }
    if (node.space != Namespace::html) return node.tag == Tag::script || node.tag == Tag::style;
    if (node.tag == Tag::template_) return !is_declarative_shadow_root(tree, id);
    return never_rendered_tags.contains(node.tag);
}

bool has_image(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 4);  // <picture><source><img>, <a><img>
    for (NodeId inside = id; inside < end; ++inside) {
        if (tree.is(inside, Tag::img)) return true;
    }
    return false;
}

}  // namespace

Visibility::Visibility(const Tree& tree) : tree_(tree), signs_(tree.size()), before_(tree.size() + 1) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t bytes = 0;
    NodeId skip_to = 0;
    // Both have an entry per node.
    std::uint32_t* before = before_.data();
    std::uint8_t* signs = signs_.data();
    NodeId id = 0;
    for (const html::Node& node : tree.nodes()) {
        *before++ = static_cast<std::uint32_t>(std::min(bytes, most));
        if (node.kind == NodeKind::text) {
            if (id >= skip_to && !is_blank(node.text)) bytes += node.text.size();
        } else {
            *signs = signs_of(id);
            if ((*signs & never_rendered) != 0) skip_to = std::max(skip_to, node.end);
        }
        ++signs;
        ++id;
    }
    before_[tree.size()] = static_cast<std::uint32_t>(std::min(bytes, most));
}

std::uint8_t Visibility::signs_of(NodeId id) const {
    if (is_never_rendered(tree_, id)) return never_rendered;
    const html::Node& node = tree_[id];
    if (node.kind != NodeKind::element || node.space != Namespace::html) return 0;
    std::uint8_t signs = 0;
    if (node.tag == Tag::dialog) {
        signs = tree_.attribute(id, Attr::open) ? 0 : hidden;
    } else if (node.attribute_count != 0) {
        signs = signs_of_attributes(id);
    }
    if (node.tag == Tag::noscript) return signs | noscript;
    if (signs != 0 && !is_block_level(node)) signs |= in_line;
    return signs;
}

std::uint8_t Visibility::signs_of_attributes(NodeId id) const {
    std::uint8_t signs = 0;
    bool is_tab_panel = false;
    for (const html::Attribute& attribute : tree_.attributes(id)) {
        switch (attribute.name) {
            case Attr::hidden:
                if (!same_letters(attribute.value, "until-found")) signs |= hidden;
                break;
            case Attr::style:
                if (style_hides(attribute.value)) signs |= hidden;
                break;
            case Attr::class_:
                if (has_unseen_class(attribute.value)) signs |= unseen_class;
                break;
            case Attr::role: is_tab_panel |= attribute.value == "tabpanel"; break;
            default: break;
        }
    }
    return static_cast<std::uint8_t>(is_tab_panel ? signs & ~hidden : signs);
}

bool Visibility::is_never_shown(NodeId id) const {
    const std::uint8_t signs = signs_[id];
    if ((signs & never_rendered) != 0) return true;
    if ((signs & noscript) != 0) return !noscript_adds(id);
    // Inside a line hidden words are never the content; hidden blocks may be, behind a tab or a fold.
    return (signs & in_line) != 0 && ((signs & unseen_class) != 0 || hides(id));
}

// A browser with scripts ignores <noscript>. We ran none, so it is wanted where it stands for something that
// scripts would have brought: a lazily loaded image, or the whole page.
bool Visibility::noscript_adds(NodeId id) const {
    const std::uint64_t text = text_inside(id);
    return text == 0 ? !follows_image(id) : 2 * text > before_.back();
}

// Looks back over at most a comment or blank text, so that many siblings cost no more than one.
bool Visibility::follows_image(NodeId id) const {
    NodeId before = id;
    for (int step = 0; step < 3 && before > tree_[id].parent + 1; ++step) {
        --before;
        while (tree_[before].parent != tree_[id].parent) before = tree_[before].parent;
        if (tree_.is_element(before)) return has_image(tree_, before);
    }
    return false;
}

}  // namespace quarry::extract
