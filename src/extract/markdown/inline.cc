// Elements inside a line of text.
#include <algorithm>

#include "base/ascii.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/heading_anchor.h"
#include "extract/markdown/writer.h"
#include "extract/metadata/images.h"
#include "extract/one_line.h"
#include "url/url.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

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
        if (tree.is_text(inside) && equals_ignore_case(trimmed(tree[inside].text), "copy")) return true;
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
    if (!first_in_item || !equals_ignore_case(tree_.attribute_or_empty(id, Attr::type), "checkbox")) return;
    const NodeId next = tree_.next_sibling(id);
    const bool has_text = begins_text(tree_, next) || (next != html::no_node && tree_.is_text(next) &&
                                                       begins_text(tree_, tree_.next_sibling(next)));
    if (!has_text && !tree_.attribute(id, Attr::disabled)) return;
    task_ = tree_.attribute(id, Attr::checked) ? 'x' : ' ';
}

// Links, images and what else a page refers to.

namespace {

// Schemes that run or embed something instead of leading somewhere.
bool leads_nowhere(std::string_view reference) {
    for (const std::string_view scheme : {"javascript:", "data:", "vbscript:", "blob:", "about:"}) {
        if (reference.size() >= scheme.size() &&
            equals_ignore_case(reference.substr(0, scheme.size()), scheme))
            return true;
    }
    return false;
}

// True if the link's title only repeats what it shows.
bool repeats_text(const Tree& tree, NodeId id, std::string_view title) {
    const std::string line = one_line(title, title.size());
    return text_line(tree, id, line.size() + 8) == line;
}

// True if the link leads to a heading that it holds.
bool holds_own_heading(const Tree& tree, NodeId id, std::string_view fragment) {
    static constexpr html::TagSet headings{Tag::h1, Tag::h2, Tag::h3, Tag::h4, Tag::h5, Tag::h6};
    const NodeId end = std::min(tree[id].end, id + 10);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_element(inside) && headings.contains(tree[inside].tag))
            return tree.attribute_or_empty(inside, Attr::id) == fragment;
    }
    return false;
}

bool is_one_pixel(const Tree& tree, NodeId id) {
    const auto tiny = [](std::string_view size) {
        return size == "1" || size == "0" || size == "1px" || size == "0px";
    };
    return tiny(tree.attribute_or_empty(id, Attr::width)) && tiny(tree.attribute_or_empty(id, Attr::height));
}

// The element's own source, or that of the first <source> in it.
std::string_view media_source(const Tree& tree, NodeId id) {
    if (const auto source = tree.attribute(id, Attr::src)) return *source;
    for (NodeId child = id + 1; child < tree[id].end; child = tree[child].end) {
        if (tree.is(child, Tag::source)) return tree.attribute_or_empty(child, Attr::src);
    }
    return "";
}

}  // namespace

// The destination for a reference as the page writes it. False if there is nothing to lead to.
bool Writer::resolve(std::string_view reference, std::string& destination) {
    reference = trimmed(reference);
    if (leads_nowhere(reference)) return false;
    if (options_.base == nullptr) {
        destination = reference;
        return true;
    }
    if (!url::resolve_plain(reference, *options_.base, destination)) {
        const auto url = url::Url::parse(reference, options_.base);
        if (!url || leads_nowhere(url->href())) return false;
        destination = url->href();
    }
    const std::uint64_t growth =
        destination.size() > reference.size() ? destination.size() - reference.size() : 0;
    if (growth > expansion_budget_) return false;
    expansion_budget_ -= growth;
    return true;
}

void Writer::anchor(NodeId id) {
    const auto href = tree_.attribute(id, Attr::href);
    if (heading_ != html::no_node && is_heading_anchor(tree_, id)) return;
    // A heading that links to itself says nothing by it.
    const std::string_view fragment = href && href->size() > 1 && href->front() == '#' ? href->substr(1) : "";
    const bool to_itself =
        !fragment.empty() &&
        (heading_ == html::no_node ? holds_own_heading(tree_, id, fragment)
                                   : tree_.attribute_or_empty(heading_, Attr::id) == fragment ||
                                         tree_.attribute_or_empty(id, Attr::id) == fragment);
    if (!href || to_itself || !resolve(*href, scratch_)) {
        children(id);
        return;
    }
    std::string_view title = tree_.attribute_or_empty(id, Attr::title);
    if (!title.empty() && repeats_text(tree_, id, title)) title = {};
    const bool opened = run_.open_link(scratch_, title);
    children(id);
    if (opened) run_.close();
}

void Writer::image(NodeId id) {
    if (in_code_ || is_one_pixel(tree_, id) || formula_image(id)) return;
    std::string_view source = trimmed(tree_.attribute_or_empty(id, Attr::src));
    // A data: URL is often a placeholder for what a script loads later.
    if (source.empty() || source.starts_with("data:")) source = trimmed(image_source(tree_, id));
    const bool is_data = source.starts_with("data:");
    if (source.empty() || (is_data && !options_.keep_data_images)) return;
    std::string destination;
    if (is_data) {
        destination = source;
    } else if (!resolve(source, destination)) {
        return;
    }
    scratch_ = "![";
    append_alternative_text(scratch_, tree_.attribute_or_empty(id, Attr::alt));
    scratch_ += "](";
    append_destination(scratch_, destination);
    append_title(scratch_, tree_.attribute_or_empty(id, Attr::title));
    scratch_ += ')';
    run_.raw(scratch_);
}

// A link named after where it leads: for what can be shown only by a browser.
void Writer::linked_name(std::string_view destination) {
    run_.space();
    if (run_.open_link(destination, "")) {
        run_.text(destination);
        run_.close();
    }
    run_.space();
}

// What stands inside is for browsers that cannot play it.
void Writer::media(NodeId id) {
    const std::string_view source = media_source(tree_, id);
    std::string destination;
    if (source.empty() || !resolve(source, destination)) return;
    linked_name(destination);
}

void Writer::frame(NodeId id, Attr source_attribute) {
    const std::string_view source = trimmed(tree_.attribute_or_empty(id, source_attribute));
    std::string destination;
    if (source.empty() || is_one_pixel(tree_, id) || !resolve(source, destination)) return;
    linked_name(destination);
}

}  // namespace quarry::extract::markdown
