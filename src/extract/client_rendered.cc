#include "extract/client_rendered.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/content/visibility.h"
#include "extract/html_writer.h"
#include "extract/metadata/page_facts.h"
#include "extract/one_line.h"
#include "html/characters.h"

namespace quarry::extract {

namespace {

namespace json = boost::json;
using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t largest_data = 16 << 20;    // of all JSON in a page
constexpr std::size_t smallest_attribute = 500;   // shorter ones hold settings
constexpr std::size_t smallest_prose = 200;       // letters; a label or a slogan is no page
constexpr std::size_t fewest_embedded_words = 6;  // of a string that counts as prose
constexpr std::size_t deepest_data = 64;
constexpr int most_nestings = 3;  // JSON inside a string of JSON, and so on

// The strings of one member, wherever it occurs: "topic > posts > cooked" of every post.
struct Member {
    std::size_t prose_letters = 0;
    std::vector<std::string> strings{};
};

// Letters outside of tags, and the words they make.
struct ProseCount {
    std::size_t letters = 0, words = 0;
};

ProseCount count_prose(std::string_view text) {
    ProseCount count;
    bool in_tag = false, in_word = false;
    for (const char c : text) {
        if (c == '<') in_tag = true;
        const bool is_letter = !in_tag && (is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80);
        if (is_letter) ++count.letters;
        if (is_letter && !in_word) ++count.words;
        in_word = is_letter;
        if (c == '>') in_tag = false;
    }
    return count;
}

bool looks_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

// Words in a row with spaces between them; not a path, a list of class names or base64.
bool is_prose(std::string_view text, const ProseCount& count) {
    if (count.words < fewest_embedded_words) return false;
    const auto spaces = static_cast<std::size_t>(std::ranges::count(text, ' '));
    return spaces * 2 >= count.words || text.find('<') != std::string_view::npos;
}

class Gatherer {
public:
    void add_data(std::string_view text) {
        if (text.size() > budget_) return;
        budget_ -= text.size();
        read(text, 0, 0);
    }

    const Member* largest() const {
        const Member* best = nullptr;
        for (const auto& [path, member] : members_)
            if (!best || member.prose_letters > best->prose_letters) best = &member;
        return best && best->prose_letters >= smallest_prose ? best : nullptr;
    }

private:
    void read(std::string_view text, std::size_t path, int nesting) {
        boost::system::error_code error;
        const json::value value = json::parse(text, error, {}, {.max_depth = deepest_data});
        if (!error) walk(value, path, nesting);
    }

    // Array positions are no part of a path, so that all posts of a list fall together.
    void walk(const json::value& value, std::size_t path, int nesting) {
        if (const json::array* items = value.if_array()) {
            for (const json::value& item : *items) walk(item, path, nesting);
        } else if (const json::object* object = value.if_object()) {
            for (const auto& [name, member] : *object)
                walk(member, path * 31 + std::hash<std::string_view>{}(name), nesting);
        } else if (const json::string* text = value.if_string()) {
            take(*text, path, nesting);
        }
    }

    void take(std::string_view text, std::size_t path, int nesting) {
        if (nesting < most_nestings && looks_like_json(text)) return read(text, path, nesting + 1);
        const ProseCount count = count_prose(text);
        if (!is_prose(text, count)) return;
        Member& member = members_[path];
        member.prose_letters += count.letters;
        member.strings.emplace_back(text);
    }

    std::unordered_map<std::size_t, Member> members_;
    std::size_t budget_ = largest_data;
};

bool is_json_script(const Tree& tree, NodeId id) {
    if (!tree.is(id, Tag::script)) return false;
    const std::string type = lower_case(tree.attribute_or_empty(id, Attr::type));
    return type.find("json") != std::string::npos;
}

void gather_from(const Tree& tree, NodeId id, Gatherer& gatherer) {
    if (is_json_script(tree, id)) gatherer.add_data(tree.text_content(id));
    for (const html::Attribute& attribute : tree.attributes(id))
        if (attribute.value.size() >= smallest_attribute && looks_like_json(attribute.value))
            gatherer.add_data(attribute.value);
}

// A string with tags is HTML already; in any other, empty lines separate paragraphs.
void append_string(std::string& html, std::string_view text) {
    html += "<div>";
    if (text.find("</") != std::string_view::npos || text.find("/>") != std::string_view::npos) {
        html += text;
    } else {
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find("\n\n", start), text.size());
            html += "<p>";
            append_text(html, text.substr(start, end - start));
            html += "</p>";
            start = end + 2;
        }
    }
    html += "</div>\n";
}

}  // namespace

std::string embedded_html(const Tree& tree) {
    Gatherer gatherer;
    for (NodeId id = 0; id < tree.size(); ++id)
        if (tree.is_element(id)) gather_from(tree, id, gatherer);
    std::string html;
    if (const Member* member = gatherer.largest())
        for (const std::string& text : member->strings) append_string(html, text);
    return html;
}

std::string described_html(const Tree& tree) {
    const PageFacts facts = gather_facts(tree);
    const std::string_view description = facts.meta({"og:description", "description", "twitter:description"});
    if (description.empty()) return {};
    std::string html;
    if (!facts.title.empty()) {
        html += "<h1>";
        append_text(html, facts.title);
        html += "</h1>";
    }
    append_string(html, description);
    return html;
}

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
