#include "extract/script_made.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "extract/one_line.h"
#include "html/characters.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::no_node;
using html::NodeId;
using html::Tag;
using html::Tree;

// A name, a slogan and a line about cookies fit into this; an article does not.
constexpr std::size_t next_to_nothing = 200;

constexpr html::TagSet not_shown{Tag::script, Tag::style, Tag::template_, Tag::title, Tag::svg};

bool asks_for_scripts(const Tree& tree, NodeId noscript) {
    constexpr std::size_t enough = 1'000;
    const std::string text = lower_case(text_line(tree, noscript, enough));
    if (text.size() >= enough) return false;  // An article may mention JavaScript; a request is short.
    return text.find("javascript") != std::string::npos || text.find("enable js") != std::string::npos;
}

// Bytes of text that a reader without scripts sees, not counted beyond what matters.
std::size_t shown_bytes(const Tree& tree, NodeId root) {
    std::size_t bytes = 0;
    for (NodeId id = root; id < tree[root].end && bytes <= next_to_nothing;) {
        const html::Node& node = tree[id];
        const bool is_element = node.kind == html::NodeKind::element;
        // A whole page may stand in <noscript>; a request to turn scripts on is no text.
        const bool is_request = is_element && node.tag == Tag::noscript && asks_for_scripts(tree, id);
        if (is_request || (is_element && not_shown.contains(node.tag))) {
            id = node.end;
            continue;
        }
        if (node.kind == html::NodeKind::text) {
            bytes += static_cast<std::size_t>(
                std::ranges::count_if(node.text, [](char letter) { return !html::is_space(letter); }));
        }
        ++id;
    }
    return bytes;
}

// An element that is empty, or holds only a picture of something turning, with a name that programs use.
bool is_mount_point(const Tree& tree, NodeId id) {
    constexpr std::array names{
        std::string_view{"root"},       std::string_view{"app"},       std::string_view{"__next"},
        std::string_view{"__nuxt"},     std::string_view{"___gatsby"}, std::string_view{"react-root"},
        std::string_view{"app-root"},   std::string_view{"main-app"},  std::string_view{"q-app"},
        std::string_view{"svelte"},     std::string_view{"container"}, std::string_view{"content"},
        std::string_view{"application"}};
    const std::string_view own_id = tree.attribute_or_empty(id, Attr::id);
    const bool is_custom_element = tree.name(tree[id].tag).find('-') != std::string_view::npos;
    return is_custom_element || (!own_id.empty() && std::ranges::find(names, own_id) != names.end());
}

}  // namespace

ScriptMade made_by_scripts(const Tree& tree) {
    const NodeId body = tree.body();
    if (body == no_node) return ScriptMade::no;
    const std::size_t shown = shown_bytes(tree, body);
    if (shown > next_to_nothing) return ScriptMade::no;
    bool has_script = false;
    bool has_sign = false;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is_element(id) || tree[id].space != html::Namespace::html) continue;
        if (tree[id].tag == Tag::script) has_script = true;
        if (has_sign || id <= body) continue;
        has_sign = tree[id].tag == Tag::noscript ? asks_for_scripts(tree, id) : is_mount_point(tree, id);
    }
    if (!has_script || !has_sign) return ScriptMade::no;
    return shown == 0 ? ScriptMade::entirely : ScriptMade::mostly;
}

}  // namespace quarry::extract
