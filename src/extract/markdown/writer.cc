#include "extract/markdown/writer.h"

#include <algorithm>

#include "extract/markdown/escape.h"
#include "extract/markdown/heading_anchor.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::Namespace;
using html::NodeKind;

Writer::Writer(const html::Tree& tree, const Selection& selection, const MarkdownOptions& options)
    : tree_(tree),
      selection_(selection),
      options_(options),
      survey_(tree, selection),
      footnotes_(tree, selection, survey_) {
    // Far more than pages need, and yet linear in the size of the page.
    const std::uint64_t budget = 1'000'000 + 64 * std::uint64_t{tree.size()};
    expansion_budget_ = budget;
    run_.set_link_budget(budget);
    run_.set_has_math(survey_.has_math());
}

std::string Writer::write() {
    if (tree_.size() > 0) children(html::document_node);
    end_paragraph();
    return out_.take();
}

void Writer::children(NodeId id) {
    const NodeId end = tree_[id].end;
    for (NodeId child = id + 1; child < end; child = tree_[child].end) node(child);
}

void Writer::node(NodeId id) {
    if (!selection_.keeps(id)) {
        math_script(id);
        return;
    }
    switch (tree_[id].kind) {
        case NodeKind::text: text(id); break;
        case NodeKind::element: element(id); break;
        case NodeKind::template_contents: children(id); break;
        default: break;
    }
}

void Writer::text(NodeId id) {
    const std::string_view text = tree_[id].text;
    // Between the bases and readings of <ruby> white space is only layout.
    if (tree_.is(tree_[id].parent, Tag::ruby) && is_blank_text(text)) return;
    if (in_code_) {
        run_.code(text);
        return;
    }
    const std::string_view rest = text.substr(find_plain_end(text, 0));
    if (rest.find('$') != std::string_view::npos || rest.find('\\') != std::string_view::npos) {
        text_with_formulas(text);
    } else {
        run_.text(text);
    }
}

void Writer::element(NodeId id) {
    if (id == skipped_) return;
    switch (tree_[id].space) {
        case Namespace::html:
            if (!element_with_meaning(id)) html_element(id);
            break;
        case Namespace::mathml: math_element(id); break;
        case Namespace::svg: drawing(id); break;
    }
}

// Drawings are not text, but HTML inside them is. So is text directly below <svg>, where no label stands:
// past the parser's limit of depth the rest of a page ends up there.
void Writer::drawing(NodeId svg) {
    for (NodeId inside = svg + 1; inside < tree_[svg].end; ++inside) {
        const html::Node& node = tree_[inside];
        if (!selection_.keeps(inside)) {
            inside = node.end - 1;
            continue;
        }
        if (node.kind == NodeKind::text && tree_[node.parent].tag == Tag::svg) {
            text(inside);
        } else if (node.kind == NodeKind::element && node.tag == Tag::foreign_object) {
            children(inside);
            inside = node.end - 1;
        } else if (node.kind == NodeKind::element && node.space != Namespace::svg) {
            element(inside);
            inside = node.end - 1;
        }
    }
}

// Elements that mean more than their tag says, by class or role. True if it has been written.
bool Writer::element_with_meaning(NodeId id) {
    std::string_view class_attribute, role;
    for (const html::Attribute& attribute : tree_.attributes(id)) {
        if (attribute.name == Attr::class_) class_attribute = attribute.value;
        if (attribute.name == Attr::role) role = attribute.value;
        if (attribute.name == Attr::data_math && !attribute.value.empty()) {
            write_formula(attribute.value, class_attribute.find("block") != std::string_view::npos);
            return true;
        }
    }
    if (footnotes_.any()) {
        if (footnotes_.is_backlink(id)) return true;
        if (footnote_reference(id)) return true;
        if (const Footnote* note = footnotes_.note(id)) {
            footnote(id, *note);
            return true;
        }
    }
    if (!class_attribute.empty()) {
        const ClassTraits traits = class_traits(class_attribute);
        if (!traits.none() && element_of_class(id, traits)) return true;
    }
    return !role.empty() && element_of_role(id, role);
}

bool Writer::element_of_class(NodeId id, ClassTraits traits) {
    const Tag tag = tree_[id].tag;
    if (traits.has(ClassTrait::source_link)) return true;
    if (traits.has(ClassTrait::copy_button) && (tag == Tag::button || tag == Tag::a || tag == Tag::span))
        return true;
    if (traits.has(ClassTrait::heading_anchor) && is_heading_anchor(tree_, id)) return true;
    if (formula(id, traits)) return true;
    if (traits.has(ClassTrait::code_box)) {
        code_block(id);
        return true;
    }
    if (traits.has(ClassTrait::line_numbers) && (tag == Tag::td || tag == Tag::div)) return true;
    if (traits.has(ClassTrait::admonition) && admonition(id)) return true;
    if (traits.has(ClassTrait::tab_labels) && tab_labels(id)) return true;
    if (traits.has(ClassTrait::tab_panel) && tab_panel(id)) return true;
    if (traits.has(ClassTrait::tab_label)) {
        formatted_block(id, Format::strong);
        return true;
    }
    return false;
}

bool Writer::element_of_role(NodeId id, std::string_view role) {
    if (role == "tablist") return tab_labels(id);
    if (role == "tabpanel") return tab_panel(id);
    if (role == "heading") {
        const std::string_view level = tree_.attribute_or_empty(id, Attr::aria_level);
        const bool plausible = level.size() == 1 && level[0] >= '1' && level[0] <= '6';
        heading(id, plausible ? level[0] - '0' : 2);
        return true;
    }
    return false;
}

void Writer::html_element(NodeId id) {
    const Tag tag = tree_[id].tag;
    switch (tag) {
        case Tag::h1:
        case Tag::h2:
        case Tag::h3:
        case Tag::h4:
        case Tag::h5:
        case Tag::h6: heading(id, 1 + static_cast<int>(tag) - static_cast<int>(Tag::h1)); break;
        case Tag::ul:
        case Tag::ol:
        case Tag::menu:
        case Tag::dir: list(id); break;
        case Tag::li: stray_item(id); break;
        case Tag::dt: term(id); break;
        case Tag::dd: definition(id); break;
        case Tag::blockquote: quote(id); break;
        case Tag::pre:
        case Tag::listing:
        case Tag::xmp:
        case Tag::plaintext: code_block(id); break;
        case Tag::hr: rule(id); break;
        case Tag::table: table(id); break;
        case Tag::figcaption:
        case Tag::caption: formatted_block(id, Format::emphasis); break;
        case Tag::summary:
        case Tag::legend: formatted_block(id, Format::strong); break;
        // Never text, whatever the selection says.
        case Tag::script:
        case Tag::style:
        case Tag::title:
        case Tag::rp: break;
        case Tag::select:
        case Tag::option:
        case Tag::optgroup:
            if (swallows_page(id)) block(id);
            break;
        default:
            if (inline_element(id)) break;
            if (tag >= Tag::first_unlisted) {
                unlisted_element(id);
            } else {
                block(id);
            }
    }
}

// Choices of a form and formulas are not prose. But where their end tag is missing the rest of the page
// stands inside them, and with it what only prose has.
bool Writer::swallows_page(NodeId id) const {
    static constexpr html::TagSet prose{Tag::p,  Tag::h1, Tag::h2,      Tag::h3,      Tag::h4,
                                        Tag::h5, Tag::h6, Tag::article, Tag::section, Tag::table,
                                        Tag::ul, Tag::ol, Tag::pre};
    for (NodeId inside = id + 1; inside < tree_[id].end; ++inside) {
        const html::Node& node = tree_[inside];
        if (node.kind == NodeKind::element && node.space == Namespace::html && prose.contains(node.tag))
            return true;
    }
    return false;
}

// Custom elements are mostly containers, except in the middle of a sentence.
void Writer::unlisted_element(NodeId id) {
    const html::Node& parent = tree_[tree_[id].parent];
    static constexpr html::TagSet sentences{Tag::p,  Tag::span, Tag::a,  Tag::em, Tag::strong,
                                            Tag::b,  Tag::i,    Tag::h1, Tag::h2, Tag::h3,
                                            Tag::h4, Tag::h5,   Tag::h6, Tag::td, Tag::th};
    if (tree_.name(tree_[id].tag).starts_with("mjx-")) {
        mathjax_element(id);
    } else if (parent.kind == NodeKind::element && sentences.contains(parent.tag)) {
        children(id);
    } else {
        block(id);
    }
}

void Writer::block(NodeId id) {
    if (tree_[id].tag == Tag::p && !run_.empty()) leave_heading();
    block_edge();
    children(id);
    block_edge();
}

void Writer::block_edge() {
    switch (place_) {
        case Place::blocks: end_paragraph(); break;
        case Place::heading: run_.space(); break;
        case Place::cell:
            if (run_.pending_breaks() == 0) run_.line_break();
            break;
    }
}

void Writer::begin_block(Block kind) {
    definition_begins_ = false;
    out_.begin(kind);
}

void Writer::end_paragraph() {
    if (run_.empty()) {
        run_.discard();
        return;
    }
    line_.clear();
    run_.finish(line_);
    if (line_.empty()) return;
    if (definition_begins_) {
        begin_block(Block::definition);
        out_.write(":   ");
    } else {
        begin_block(in_term_ ? Block::term : Block::paragraph);
    }
    if (task_ != '\0') {
        const char mark[] = {'[', task_, ']', ' ', '\0'};
        out_.write(mark);
        task_ = '\0';
    }
    write_paragraph(line_);
}

void Writer::write_paragraph(std::string_view lines) {
    LinePlace place = LinePlace::first;
    while (true) {
        const std::size_t newline = lines.find('\n');
        const std::string_view line = lines.substr(0, newline);
        const std::size_t escape = std::min(line_start_escape(line, place), line.size());
        out_.write(line.substr(0, escape));
        if (escape < line.size()) out_.write('\\');
        out_.write(line.substr(escape));
        if (newline == std::string_view::npos) return;
        out_.next_line();
        lines.remove_prefix(newline + 1);
        place = LinePlace::continuation;
    }
}

void Writer::heading(NodeId id, int level) {
    if (place_ != Place::blocks) {
        block_edge();
        if (place_ == Place::cell) {
            formatted(id, Format::strong);
        } else {
            children(id);
        }
        block_edge();
        return;
    }
    end_paragraph();
    const NodeId outer = heading_;
    heading_ = id;
    heading_level_ = static_cast<std::size_t>(level);
    place_ = Place::heading;
    run_.set_break_style(BreakStyle::space);
    children(id);
    leave_heading();
    end_paragraph();
    heading_ = outer;
}

// A heading that was never closed swallows what follows it: paragraphs, lists and tables end it.
void Writer::leave_heading() {
    if (place_ != Place::heading) return;
    write_heading();
    run_.set_break_style(BreakStyle::hard);
    place_ = Place::blocks;
}

void Writer::write_heading() {
    if (run_.empty()) {
        run_.discard();
        return;
    }
    line_.clear();
    run_.finish(line_);
    begin_block(Block::heading);
    out_.write(std::string_view("######").substr(0, heading_level_));
    out_.write(' ');
    // A run of # at the end would be taken for decoration.
    const std::size_t before_signs = line_.find_last_not_of('#');
    const bool decoration =
        line_.ends_with('#') && (before_signs == std::string::npos || line_[before_signs] == ' ');
    if (decoration) line_.insert(line_.size() - 1, 1, '\\');
    out_.write(line_);
}

void Writer::rule(NodeId id) {
    // The line above the notes: they are marked as such already.
    const std::string_view around = tree_.attribute_or_empty(tree_[id].parent, Attr::class_);
    if (footnotes_.any() && class_traits(around).has(ClassTrait::footnotes)) return;
    if (place_ != Place::blocks) {
        block_edge();
        return;
    }
    end_paragraph();
    const bool would_be_swallowed = out_.after_hyphen();
    begin_block(Block::rule);
    out_.write(would_be_swallowed ? "***" : "---");
}

void Writer::quote(NodeId id) {
    leave_heading();
    if (place_ != Place::blocks) {
        block(id);
        return;
    }
    end_paragraph();
    definition_begins_ = false;
    out_.open_quote();
    children(id);
    end_paragraph();
    if (has_no_content(id)) out_.write_empty_container();
    out_.close_container();
}

void Writer::formatted_block(NodeId id, Format format) {
    block_edge();
    formatted(id, format);
    block_edge();
}

// True if there is nothing in the element at all, not even something that is left out.
bool Writer::has_no_content(NodeId id) const {
    for (NodeId inside = id + 1; inside < tree_[id].end; ++inside) {
        const html::Node& node = tree_[inside];
        if (node.kind == NodeKind::element) return false;
        if (node.kind == NodeKind::text && !is_blank_text(node.text)) return false;
    }
    return true;
}

}  // namespace quarry::extract::markdown
