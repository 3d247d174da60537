// Admonitions: notes, tips and warnings in a box. GitHub's alerts are the only form that markdown has for
// them.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"
#include "extract/one_line.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

struct Kind {
    std::string_view name;   // as generators call it
    std::string_view alert;  // GitHub's; "" if there is none that fits
};

constexpr std::array kinds = std::to_array<Kind>({{"note", "NOTE"},       {"info", "NOTE"},
                                                  {"secondary", "NOTE"},  {"seealso", "NOTE"},
                                                  {"abstract", "NOTE"},   {"summary", "NOTE"},
                                                  {"todo", "NOTE"},       {"question", "NOTE"},
                                                  {"primary", "NOTE"},    {"tip", "TIP"},
                                                  {"hint", "TIP"},        {"success", "TIP"},
                                                  {"check", "TIP"},       {"important", "IMPORTANT"},
                                                  {"warning", "WARNING"}, {"attention", "WARNING"},
                                                  {"caution", "CAUTION"}, {"danger", "CAUTION"},
                                                  {"error", "CAUTION"},   {"failure", "CAUTION"},
                                                  {"bug", "CAUTION"}});

const Kind* find_kind(std::string_view name) {
    const auto* kind = std::ranges::find(kinds, name, &Kind::name);
    return kind == kinds.end() ? nullptr : kind;
}

// The kind is a class of its own (admonition note), or the end of one (alert-warning, markdown-alert-note).
const Kind* kind_of_class(std::string_view class_attribute) {
    const Kind* found = nullptr;
    any_class(class_attribute, [&](std::string_view name) {
        const std::string lower = lower_case(name.substr(0, 64));
        found = find_kind(lower);
        const std::size_t hyphen = lower.rfind('-');
        if (found == nullptr && hyphen != std::string::npos)
            found = find_kind(std::string_view(lower).substr(hyphen + 1));
        return found != nullptr;
    });
    return found;
}

// "Note" or "Note:" above a note says nothing new.
bool names_kind(std::string_view label, const Kind& kind) {
    if (label.ends_with(':')) label.remove_suffix(1);
    return same_letters(label, kind.name) || same_letters(label, kind.alert);
}

bool is_title(const Tree& tree, NodeId id) {
    if (!tree.is_element(id)) return false;
    const std::string_view class_attribute = tree.attribute_or_empty(id, Attr::class_);
    if (class_traits(class_attribute).has(ClassTrait::admonition_title)) return true;
    // Docusaurus mangles its names: admonitionHeading_Gvgb.
    return any_class(class_attribute,
                     [](std::string_view name) { return name.starts_with("admonitionHeading"); });
}

NodeId find_title(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 24);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (is_title(tree, inside)) return inside;
    }
    return html::no_node;
}

// Asciidoctor lays its boxes out as a table: an icon with the kind's name, and the text.
NodeId find_content(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 16);
    NodeId content = id;
    bool has_icon = false;
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (!tree.is(inside, Tag::td)) continue;
        if (has_icon && tree.has_class(inside, "content")) content = inside;
        has_icon |= tree.has_class(inside, "icon");
    }
    return content;
}

// Scripts fill some boxes later: those are empty here, and an alert without text would be nothing but noise.
bool has_text(const Tree& tree, const Selection& selection, NodeId id, NodeId title) {
    for (NodeId inside = id + 1; inside < tree[id].end;) {
        if (!selection.keeps(inside) || inside == title) {
            inside = tree[inside].end;
            continue;
        }
        if (tree.is(inside, Tag::img) || (tree.is_text(inside) && !is_blank_text(tree[inside].text)))
            return true;
        ++inside;
    }
    return false;
}

}  // namespace

bool Writer::admonition(NodeId id) {
    const std::string_view class_attribute = tree_.attribute_or_empty(id, Attr::class_);
    const Kind* kind = kind_of_class(class_attribute);
    const NodeId title = find_title(tree_, id);
    if (place_ != Place::blocks || (kind == nullptr && title == html::no_node)) return false;
    if (!has_text(tree_, selection_, id, title)) return false;

    end_paragraph();
    out_.open_quote();
    const std::string label = title == html::no_node ? "" : text_line(tree_, title, 200);
    if (kind != nullptr) {
        begin_block(Block::alert);
        out_.write("[!");
        out_.write(kind->alert);
        out_.write(']');
    }
    if (!label.empty() && (kind == nullptr || !names_kind(label, *kind))) {
        formatted(title, Format::strong);
        end_paragraph();
    }
    const NodeId outer = skipped_;
    skipped_ = title;
    children(find_content(tree_, id));
    end_paragraph();
    skipped_ = outer;
    out_.close_container();
    return true;
}

}  // namespace quarry::extract::markdown
