#include "extract/content/display.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "html/characters.h"

namespace quarry::extract {

using html::Namespace;
using html::NodeKind;
using html::Tag;

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

}  // namespace quarry::extract
