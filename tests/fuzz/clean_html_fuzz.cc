// Clean HTML of any page, parsed again, has the same text and nothing that acts.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extract/html_writer.h"
#include "html/characters.h"
#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

// The text between the tags, by the rule that clean HTML writes every '<' and '>' of text and values as
// references.
std::string text_between_tags(std::string_view html) {
    std::string text;
    bool in_tag = false;
    for (const char letter : html) {
        if (letter == '<') in_tag = true;
        if (!in_tag) text += letter;
        if (letter == '>') in_tag = false;
    }
    return text;
}

// Both sides are compared in escaped form and without white space, which the parser may move out of tables.
std::string without_space(std::string_view text) {
    std::string rest;
    for (const char letter : text) {
        if (!html::is_space(letter)) rest += letter;
    }
    return rest;
}

std::string escaped_text(const html::Tree& tree) {
    std::string text;
    for (const html::Node& node : tree.nodes()) {
        if (node.kind != html::NodeKind::text) continue;
        for (const char letter : node.text) {
            switch (letter) {
                case '&': text += "&amp;"; break;
                case '<': text += "&lt;"; break;
                case '>': text += "&gt;"; break;
                case '\r': text += "&#13;"; break;
                default: text += letter;
            }
        }
    }
    return text;
}

void require_inert(const html::Tree& tree) {
    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (tree.is(id, html::Tag::script) || tree.is(id, html::Tag::iframe)) std::abort();
        if (!tree.is_element(id)) continue;
        for (const html::Attribute& attribute : tree.attributes(id)) {
            if (tree.name(attribute.name).starts_with("on")) std::abort();
            if (attribute.value.starts_with("javascript:")) std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const html::Tree tree = html::parse(std::string(reinterpret_cast<const char*>(data), size));
    const std::string clean = to_clean_html(tree, Selection(tree));
    const html::Tree again = html::parse(clean);
    require_inert(again);
    if (without_space(text_between_tags(clean)) != without_space(escaped_text(again))) std::abort();
    return 0;
}
