#include "extract/script_made.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "extract/one_line.h"
#include "extract/content/visibility.h"
#include "html/characters.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::no_node;
using html::NodeId;
using html::Tag;
using html::Tree;

// A name, a slogan and a line about cookies fit into this; an article does not.
constexpr std::uint32_t next_to_nothing = 200;

constexpr html::TagSet not_shown{Tag::script, Tag::style, Tag::title, Tag::svg};

bool asks_for_scripts(const Tree& tree, NodeId noscript) {
    constexpr std::size_t enough = 1'000;
    const std::string text = lower_case(text_line(tree, noscript, enough));
    if (text.size() >= enough) return false;  // An article may mention JavaScript; a request is short.
    return text.find("javascript") != std::string::npos || text.find("enable js") != std::string::npos;
}

// Text that a reader without scripts sees.
class ShownText {
public:
    explicit ShownText(const Tree& tree) : before_(tree.size() + 1) {
        const NodeId body = tree.body();
        const NodeId end = body == no_node ? 0 : tree[body].end;
        std::uint32_t bytes = 0;
        NodeId skip_to = 0;
        for (NodeId id = 0; id < tree.size(); ++id) {
            before_[id] = bytes;
            if (id < body || id >= end || id < skip_to) continue;
            if (is_left_out(tree, id)) skip_to = tree[id].end;
            if (tree[id].kind == html::NodeKind::text) bytes += letters_in(tree[id].text);
        }
        before_.back() = bytes;
    }

    // Bytes, spaces not counted.
    std::uint32_t inside(const Tree& tree, NodeId id) const { return before_[tree[id].end] - before_[id]; }
    std::uint32_t total() const { return before_.back(); }

private:
    // A whole page may stand in <noscript>; a request to turn scripts on is no text.
    static bool is_left_out(const Tree& tree, NodeId id) {
        if (tree[id].kind != html::NodeKind::element) return false;
        const Tag tag = tree[id].tag;
        if (tag == Tag::noscript) return asks_for_scripts(tree, id);
        if (tag == Tag::template_) return !is_declarative_shadow_root(tree, id);
        return not_shown.contains(tag);
    }
    static std::uint32_t letters_in(std::string_view text) {
        return static_cast<std::uint32_t>(
            std::ranges::count_if(text, [](char letter) { return !html::is_space(letter); }));
    }

    std::vector<std::uint32_t> before_;  // each node
};

// An element with a name that programs use for where they put the page.
bool has_name_of_mount_point(const Tree& tree, NodeId id) {
    static constexpr std::array names{
        std::string_view{"root"},       std::string_view{"app"},       std::string_view{"__next"},
        std::string_view{"__nuxt"},     std::string_view{"___gatsby"}, std::string_view{"react-root"},
        std::string_view{"app-root"},   std::string_view{"main-app"},  std::string_view{"q-app"},
        std::string_view{"svelte"},     std::string_view{"container"}, std::string_view{"content"},
        std::string_view{"application"}};
    const std::string_view own_id = tree.attribute_or_empty(id, Attr::id);
    const bool is_custom_element = tree.name(tree[id].tag).find('-') != std::string_view::npos;
    return is_custom_element || (!own_id.empty() && std::ranges::find(names, own_id) != names.end());
}

// What tells a program in the page itself to put text into an element: Alpine, Vue, AngularJS.
class TextBindings {
public:
    explicit TextBindings(const Tree& tree) {
        for (const std::string_view name :
             {"x-text", "x-html", "x-for", "v-text", "v-html", "v-for", "ng-bind", "ng-repeat"})
            if (const auto attribute = tree.find_attribute_name(name)) attributes_.push_back(*attribute);
    }
    bool has(const Tree& tree, NodeId id) const {
        return std::ranges::any_of(attributes_,
                                   [&](Attr name) { return tree.attribute(id, name).has_value(); });
    }

private:
    std::vector<Attr> attributes_;  // those that the page has at all
};

// Signs of a program that has yet to run: a request to let it, or a place for the text that has next to none.
bool awaits_program(const Tree& tree, const ShownText& shown) {
    constexpr std::uint32_t loading = 30;  // "Loading, please wait"
    const TextBindings bindings(tree);
    for (NodeId id = tree.body() + 1; id < tree.size(); ++id) {
        if (!tree.is_element(id) || tree[id].space != html::Namespace::html) continue;
        if (tree[id].tag == Tag::noscript && asks_for_scripts(tree, id)) return true;
        if (has_name_of_mount_point(tree, id) && shown.inside(tree, id) <= loading) return true;
        if (bindings.has(tree, id) && shown.inside(tree, id) == 0) return true;
    }
    return false;
}

bool has_script(const Tree& tree) {
    for (NodeId id = 0; id < tree.size(); ++id)
        if (tree.is(id, Tag::script)) return true;
    return false;
}

}  // namespace

ScriptMade made_by_scripts(const Tree& tree) {
    if (tree.body() == no_node) return ScriptMade::no;
    const ShownText shown(tree);
    if (shown.total() > next_to_nothing || !has_script(tree) || !awaits_program(tree, shown))
        return ScriptMade::no;
    return shown.total() == 0 ? ScriptMade::entirely : ScriptMade::mostly;
}

}  // namespace quarry::extract
