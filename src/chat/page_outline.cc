#include "chat/page_outline.h"

#include <algorithm>
#include <array>
#include <vector>

#include "extract/one_line.h"

namespace quarry::chat {

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr html::TagSet left_out{Tag::script,    Tag::style, Tag::svg,   Tag::noscript,
                                Tag::template_, Tag::head,  Tag::iframe};
constexpr std::array shown{Attr::id,  Attr::class_,   Attr::itemprop, Attr::property, Attr::role, Attr::href,
                           Attr::src, Attr::datetime, Attr::content,  Attr::value,    Attr::title};
constexpr std::size_t attribute_bytes = 80;
constexpr std::size_t text_bytes = 120;

void open_tag(const Tree& tree, NodeId id, std::string& out) {
    out += '<';
    out += tree.name(tree[id].tag);
    for (const html::Attribute& attribute : tree.attributes(id)) {
        if (std::ranges::find(shown, attribute.name) == shown.end()) continue;
        out += ' ';
        out += tree.name(attribute.name);
        out += "=\"";
        out += extract::one_line(attribute.value, attribute_bytes);
        out += '"';
    }
    out += '>';
}

}  // namespace

std::string page_outline(const Tree& tree, std::size_t bytes) {
    std::string out;
    std::vector<NodeId> open;
    const auto close = [&] {
        out += "</";
        out += tree.name(tree[open.back()].tag);
        out += ">\n";
        open.pop_back();
    };
    for (NodeId id = 0; id < tree.size() && out.size() < bytes; ++id) {
        while (!open.empty() && tree[open.back()].end <= id) close();
        if (tree.is_element(id) && left_out.contains(tree[id].tag)) {
            id = tree[id].end - 1;
        } else if (tree.is_element(id)) {
            open_tag(tree, id, out);
            open.push_back(id);
        } else if (tree.is_text(id)) {
            out += extract::one_line(tree[id].text, text_bytes);
        }
    }
    while (!open.empty()) close();
    return out;
}

}  // namespace quarry::chat
