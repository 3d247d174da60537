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
    return equals_ignore_case(label, kind.name) || equals_ignore_case(label, kind.alert);
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

// Tab sets: every panel is written, under its label, whether it is the one shown or not.

namespace {

// Labels and panels stand close to each other; looking further would cost more than it finds.
constexpr int most_siblings = 64;
constexpr int most_tab_levels = 3;
constexpr NodeId most_tab_nodes = 400;
constexpr std::size_t longest_tab_label = 200;

bool is_label_row(const Tree& tree, NodeId id) {
    return tree.is_element(id) &&
           (tree.attribute_or_empty(id, Attr::role) == "tablist" || tree.has_class(id, "tabbed-labels"));
}

bool is_panel(const Tree& tree, NodeId id) {
    return tree.is_element(id) &&
           (tree.attribute_or_empty(id, Attr::role) == "tabpanel" || tree.has_class(id, "tabbed-block"));
}

bool is_label(const Tree& tree, NodeId id) {
    return tree.attribute_or_empty(id, Attr::role) == "tab" || tree.is(id, Tag::label);
}

// The first node near `id` that `test` accepts: among its descendants, not far down.
template <typename Test>
NodeId find_inside(const Tree& tree, NodeId id, Test test) {
    const NodeId end = std::min(tree[id].end, id + most_tab_nodes);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_element(inside) && test(inside)) return inside;
    }
    return html::no_node;
}

bool has_panel_nearby(const Tree& tree, NodeId row) {
    NodeId around = row;
    for (int level = 0; level < most_tab_levels && around != html::no_node; ++level) {
        around = tree[around].parent;
        if (around == html::no_node) return false;
        const NodeId end = std::min(tree[around].end, tree[row].end + most_tab_nodes);
        for (NodeId inside = tree[row].end; inside < end; ++inside) {
            if (is_panel(tree, inside)) return true;
        }
    }
    return false;
}

// Which of its parent's panels this is, from 0.
int panel_index(const Tree& tree, NodeId panel) {
    int index = 0;
    int seen = 0;
    const NodeId parent = tree[panel].parent;
    for (NodeId child = parent + 1; child < panel && seen < most_siblings; child = tree[child].end, ++seen) {
        if (is_panel(tree, child)) ++index;
    }
    return index;
}

NodeId find_label_row(const Tree& tree, NodeId panel) {
    NodeId around = tree[panel].parent;
    for (int level = 0; level < most_tab_levels && around != html::no_node;
         ++level, around = tree[around].parent) {
        const NodeId row = find_inside(tree, around, [&](NodeId id) { return is_label_row(tree, id); });
        if (row != html::no_node && row < panel) return row;
    }
    return html::no_node;
}

NodeId find_label(const Tree& tree, NodeId panel) {
    const NodeId row = find_label_row(tree, panel);
    if (row == html::no_node) return html::no_node;
    const auto labelled_by = tree.find_attribute_name("aria-labelledby");
    const std::string_view id = labelled_by ? tree.attribute_or_empty(panel, *labelled_by) : "";
    int left = panel_index(tree, panel);
    return find_inside(tree, row, [&](NodeId label) {
        if (!is_label(tree, label)) return false;
        return id.empty() ? left-- == 0 : tree.attribute_or_empty(label, Attr::id) == id;
    });
}

}  // namespace

// The labels are written with their panels. True if there are any.
bool Writer::tab_labels(NodeId id) {
    return has_panel_nearby(tree_, id);
}

bool Writer::tab_panel(NodeId id) {
    const NodeId label = find_label(tree_, id);
    if (label == html::no_node || tree_.contains(label, id)) return false;
    block_edge();
    const bool opened = run_.open(Format::strong);
    run_.text(text_line(tree_, label, longest_tab_label));
    if (opened) run_.close();
    block(id);
    return true;
}

}  // namespace quarry::extract::markdown
