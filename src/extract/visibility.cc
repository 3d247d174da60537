#include "extract/visibility.h"

#include <algorithm>
#include <limits>

#include "base/ascii.h"
#include "extract/display.h"
#include "extract/text_scan.h"

namespace quarry::extract {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

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

bool is_declarative_shadow_root(const Tree& tree, NodeId id) {
    const auto name = tree.find_attribute_name("shadowrootmode");
    return name && tree.attribute(id, *name);
}

}  // namespace

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

bool is_hidden(const Tree& tree, NodeId id) {
    const html::Node& node = tree[id];
    if (node.kind != NodeKind::element || node.space != Namespace::html) return false;
    if (node.tag == Tag::dialog) return !tree.attribute(id, Attr::open);
    bool hidden = false;
    for (const html::Attribute& attribute : tree.attributes(id)) {
        switch (attribute.name) {
            case Attr::hidden: hidden |= !same_letters(attribute.value, "until-found"); break;
            case Attr::style: hidden |= style_hides(attribute.value); break;
            case Attr::role:
                if (attribute.value == "tabpanel") return false;
                break;
            default: break;
        }
    }
    return hidden;
}

namespace {

std::vector<std::uint32_t> rendered_text_before(const Tree& tree) {
    std::vector<std::uint32_t> before(tree.size() + 1);
    std::uint64_t bytes = 0;
    NodeId skip_to = 0;
    for (NodeId id = 0; id < tree.size(); ++id) {
        before[id] = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
        if (id < skip_to) continue;
        if (is_never_rendered(tree, id)) {
            skip_to = tree[id].end;
        } else if (tree.is_text(id) && !is_blank(tree[id].text)) {
            bytes += tree[id].text.size();
        }
    }
    before[tree.size()] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
    return before;
}

bool has_image(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 4);  // <picture><source><img>, <a><img>
    for (NodeId inside = id; inside < end; ++inside) {
        if (tree.is(inside, Tag::img)) return true;
    }
    return false;
}

}  // namespace

Visibility::Visibility(const Tree& tree) : tree_(tree), before_(rendered_text_before(tree)) {}

bool Visibility::never_shown(NodeId id) const {
    if (is_never_rendered(tree_, id)) return true;
    const html::Node& node = tree_[id];
    if (node.kind != NodeKind::element || node.space != Namespace::html) return false;
    if (node.tag == Tag::noscript) return !noscript_adds(id);
    // Inside a line hidden words are never the content; hidden blocks may be, behind a tab or a fold.
    return node.attribute_count != 0 && !is_block_level(node) && (has_unseen_class(tree_, id) || hides(id));
}

bool Visibility::hides(NodeId id) const {
    return is_hidden(tree_, id) && 2 * text_inside(id) <= before_.back();
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
