#include "extract/content/visibility.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/ascii.h"
#include "extract/content/text_scan.h"
#include "html/characters.h"

namespace quarry::extract {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet block_tags{
    Tag::address,  Tag::article, Tag::aside,   Tag::blockquote, Tag::body,      Tag::button,   Tag::caption,
    Tag::center,   Tag::dd,      Tag::details, Tag::dialog,     Tag::dir,       Tag::div,      Tag::dl,
    Tag::dt,       Tag::h1,      Tag::h2,      Tag::h3,         Tag::h4,        Tag::h5,       Tag::h6,
    Tag::fieldset, Tag::figure,  Tag::footer,  Tag::figcaption, Tag::form,      Tag::header,   Tag::hgroup,
    Tag::hr,       Tag::html,    Tag::legend,  Tag::li,         Tag::listing,   Tag::main,     Tag::menu,
    Tag::nav,      Tag::ol,      Tag::p,       Tag::pre,        Tag::search,    Tag::section,  Tag::select,
    Tag::summary,  Tag::table,   Tag::tbody,   Tag::td,         Tag::template_, Tag::textarea, Tag::tfoot,
    Tag::th,       Tag::thead,   Tag::tr,      Tag::ul,         Tag::noscript,  Tag::xmp};

constexpr std::array<std::string_view, 10> unseen_classes{
    "sr-only",           "visually-hidden",          "visuallyhidden", "screen-reader-text",
    "screenreader-only", "screen-reader-only",       "sr_only",        "u-visually-hidden",
    "material-icons",    "material-symbols-outlined"};

constexpr std::size_t shortest_unseen = 7;

// Most classes are told apart by their first letter.
bool may_be_unseen(std::string_view name) {
    return name.size() >= shortest_unseen && std::string_view("svum").contains(name.front());
}

}  // namespace

bool is_block_level(const html::Node& node) {
    if (node.kind != NodeKind::element) return node.kind != NodeKind::text;
    if (node.space != Namespace::html) return false;
    return node.tag >= Tag::first_unlisted || block_tags.contains(node.tag);
}

bool has_unseen_class(std::string_view classes) {
    while (classes.size() >= shortest_unseen) {
        std::size_t end = 0;
        while (end < classes.size() && !html::is_space(classes[end])) ++end;
        const std::string_view name = classes.substr(0, end);
        if (may_be_unseen(name) && std::ranges::find(unseen_classes, name) != unseen_classes.end())
            return true;
        classes.remove_prefix(std::min(end + 1, classes.size()));
    }
    return false;
}

std::vector<bool> find_layout_tables(const html::Tree& tree) {
    static constexpr html::TagSet not_in_a_cell{
        Tag::table,   Tag::h1,   Tag::h2, Tag::h3, Tag::h4,  Tag::h5, Tag::h6,        Tag::article,
        Tag::section, Tag::form, Tag::ul, Tag::ol, Tag::pre, Tag::hr, Tag::blockquote};
    std::vector<bool> is_layout(tree.size(), false);
    std::vector<NodeId> open_tables;
    for (NodeId id = 0; id < tree.size(); ++id) {
        while (!open_tables.empty() && id >= tree[open_tables.back()].end) open_tables.pop_back();
        if (!tree.is_element(id)) continue;
        if (!open_tables.empty() && not_in_a_cell.contains(tree[id].tag))
            is_layout[open_tables.back()] = true;
        if (tree.is(id, Tag::table)) open_tables.push_back(id);
    }
    return is_layout;
}

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
        if (equals_ignore_case(property, "display") && equals_ignore_case(value, "none")) return true;
        if (equals_ignore_case(property, "visibility") && equals_ignore_case(value, "hidden")) return true;
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
                if (!equals_ignore_case(attribute.value, "until-found")) signs |= hidden;
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
