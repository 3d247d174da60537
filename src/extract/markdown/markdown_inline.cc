// Elements inside a line of text.
#include <algorithm>

#include "base/ascii.h"
#include "extract/markdown/heading_anchor.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::Tag;

namespace {

// Elements that stand in a line and have no markdown of their own: their text is all there is.
constexpr html::TagSet text_only{
    Tag::span,   Tag::small,   Tag::label,    Tag::u,      Tag::font,     Tag::time,     Tag::abbr,
    Tag::bdi,    Tag::bdo,     Tag::data,     Tag::mark,   Tag::big,      Tag::nobr,     Tag::output,
    Tag::meter,  Tag::acronym, Tag::progress, Tag::map,    Tag::slot,     Tag::ruby,     Tag::rb,
    Tag::rtc,    Tag::blink,   Tag::picture,  Tag::object, Tag::textarea, Tag::noscript, Tag::wbr,
    Tag::source, Tag::track,   Tag::spacer};

bool keeps_line_breaks(std::string_view style) {
    const std::size_t property = style.find("white-space");
    if (property == std::string_view::npos) return false;
    const std::string_view value = style.substr(property + 11, 16);
    return value.find("pre") != std::string_view::npos;
}

bool is_copy_button(const html::Tree& tree, html::NodeId id) {
    for (const Attr name : {Attr::aria_label, Attr::title}) {
        const std::string_view label = tree.attribute_or_empty(id, name);
        if (label.starts_with("Copy") || label.starts_with("copy")) return true;
    }
    const html::NodeId end = std::min(tree[id].end, id + 4);
    for (html::NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_text(inside) && same_letters(trimmed(tree[inside].text), "copy")) return true;
    }
    return false;
}

// What may begin the text of a task.
bool begins_text(const html::Tree& tree, html::NodeId id) {
    static constexpr html::TagSet parts{Tag::a,    Tag::b,    Tag::strong, Tag::i,   Tag::em,
                                        Tag::code, Tag::span, Tag::s,      Tag::del, Tag::p};
    if (id == html::no_node) return false;
    return tree.is_text(id) ? !is_blank_text(tree[id].text)
                            : tree.is_element(id) && parts.contains(tree[id].tag);
}

}  // namespace

// True if the element belongs into a line, and has been written there.
bool Writer::inline_element(NodeId id) {
    switch (tree_[id].tag) {
        case Tag::a: anchor(id); return true;
        case Tag::strong:
        case Tag::b: formatted(id, Format::strong); return true;
        case Tag::em:
        case Tag::i:
        case Tag::cite:
        case Tag::dfn:
        case Tag::var: formatted(id, Format::emphasis); return true;
        case Tag::del:
        case Tag::s:
        case Tag::strike: formatted(id, Format::strike); return true;
        case Tag::sub: formatted(id, Format::subscript); return true;
        case Tag::sup: superscript(id); return true;
        case Tag::kbd: formatted(id, Format::keyboard); return true;
        case Tag::ins: formatted(id, Format::inserted); return true;
        case Tag::code:
        case Tag::tt:
        case Tag::samp: inline_code(id); return true;
        case Tag::q: quotation(id); return true;
        case Tag::rt: ruby_text(id); return true;
        case Tag::br: line_break(); return true;
        case Tag::img:
        case Tag::image: image(id); return true;
        case Tag::video:
        case Tag::audio: media(id); return true;
        case Tag::iframe:
        case Tag::embed: frame(id, Attr::src); return true;
        case Tag::button: button(id); return true;
        case Tag::input: input(id); return true;
        default: break;
    }
    if (!text_only.contains(tree_[id].tag)) return false;
    children(id);
    return true;
}

void Writer::formatted(NodeId id, Format format) {
    // In a code span nothing but links can be marked up.
    const bool opened = !in_code_ && run_.open(format);
    children(id);
    if (opened) run_.close();
}

void Writer::inline_code(NodeId id) {
    if (in_code_) {
        children(id);
        return;
    }
    if (place_ == Place::blocks && keeps_line_breaks(tree_.attribute_or_empty(id, Attr::style))) {
        code_block(id);
        return;
    }
    in_code_ = true;
    children(id);
    in_code_ = false;
}

void Writer::quotation(NodeId id) {
    run_.text("\"");
    run_.glue();
    children(id);
    run_.drop_space();
    run_.text("\"");
}

void Writer::ruby_text(NodeId id) {
    run_.drop_space();
    run_.text("(");
    run_.glue();
    children(id);
    run_.drop_space();
    run_.text(")");
}

void Writer::line_break() {
    run_.line_break();
    // Two in a row are how old pages write paragraphs, and markdown has no empty line inside of one.
    if (place_ == Place::blocks && run_.pending_breaks() > 1) end_paragraph();
}

// Side by side buttons are words apart, whatever the source says.
void Writer::button(NodeId id) {
    if (is_copy_button(tree_, id) || is_heading_anchor(tree_, id)) return;
    run_.space();
    children(id);
    run_.space();
}

// Of form fields only the boxes of task lists are content. Menus use boxes, too, to open and close without a
// script: there a label or a list follows, not the text of the task.
void Writer::input(NodeId id) {
    const bool first_in_item =
        in_item_ && place_ == Place::blocks && run_.empty() && out_.container_is_empty();
    if (!first_in_item || !same_letters(tree_.attribute_or_empty(id, Attr::type), "checkbox")) return;
    const NodeId next = tree_.next_sibling(id);
    const bool has_text = begins_text(tree_, next) || (next != html::no_node && tree_.is_text(next) &&
                                                       begins_text(tree_, tree_.next_sibling(next)));
    if (!has_text && !tree_.attribute(id, Attr::disabled)) return;
    task_ = tree_.attribute(id, Attr::checked) ? 'x' : ' ';
}

}  // namespace quarry::extract::markdown
