#include "extract/markdown/survey.h"

#include <algorithm>

#include "extract/markdown/escape.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::NodeKind;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet blocks_in_cells{Tag::h1,      Tag::h2,     Tag::h3,       Tag::h4,    Tag::h5,
                                       Tag::h6,      Tag::ul,     Tag::ol,       Tag::dl,    Tag::blockquote,
                                       Tag::hr,      Tag::form,   Tag::table,    Tag::nav,   Tag::article,
                                       Tag::section, Tag::figure, Tag::fieldset, Tag::iframe};

bool holds_superscript(const Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 4);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is(inside, Tag::sup)) return true;
    }
    return false;
}

// "[1]", as papers refer to their literature.
bool is_bracketed_number(const Tree& tree, NodeId id) {
    if (tree[id].end != id + 2 || !tree.is_text(id + 1)) return false;
    const std::string_view text = tree[id + 1].text;
    return text.size() > 2 && text.size() < 8 && text.front() == '[' && text.back() == ']' &&
           text[1] >= '0' && text[1] <= '9';
}

}  // namespace

Survey::Survey(const Tree& tree, const Selection& selection) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        while (!open_.empty() && tree[tables_[open_.back()].id].end <= id) open_.pop_back();
        if (selection.keeps(id)) {
            visit(tree, id);
        } else {
            id = tree[id].end - 1;
        }
    }
}

void Survey::visit(const Tree& tree, NodeId id) {
    const html::Node& node = tree[id];
    if (node.kind == NodeKind::text) {
        if (!open_.empty() && !is_blank_text(node.text))
            innermost()->text_bytes += static_cast<std::uint32_t>(node.text.size());
        return;
    }
    if (node.kind != NodeKind::element) return;
    has_math_ |= node.space == Namespace::mathml;
    if (node.space != Namespace::html) return;
    if (!open_.empty()) visit_in_table(node);
    if (node.tag == Tag::table) {
        open_.push_back(static_cast<std::uint32_t>(tables_.size()));
        tables_.push_back({.id = id});
        cells_in_row_ = 0;
    } else if (node.tag == Tag::sup) {
        superscript_end_ = std::max(superscript_end_, node.end);
    } else if (node.tag == Tag::a && tree.attribute_or_empty(id, Attr::href).starts_with('#')) {
        const bool marked =
            tree.attribute_or_empty(id, Attr::class_).find("footnote") != std::string_view::npos ||
            tree.attribute_or_empty(id, Attr::role) == "doc-noteref";
        if (id < superscript_end_ || marked || holds_superscript(tree, id) || is_bracketed_number(tree, id))
            raised_links_.push_back(id);
    }
}

void Survey::visit_in_table(const html::Node& node) {
    TableFacts& table = *innermost();
    switch (node.tag) {
        case Tag::tr:
            ++table.rows;
            cells_in_row_ = 0;
            return;
        case Tag::th: table.has_header = true; [[fallthrough]];
        case Tag::td:
            ++table.cells;
            table.most_cells_in_row = std::max(table.most_cells_in_row, ++cells_in_row_);
            return;
        case Tag::thead: table.has_header = true; return;
        case Tag::caption: table.has_caption = true; return;
        case Tag::p: ++table.paragraphs; return;
        case Tag::pre: table.has_code = true; return;
        case Tag::img: table.text_bytes += 1; return;  // a picture is content, too
        default: table.has_blocks |= blocks_in_cells.contains(node.tag);
    }
}

const TableFacts& Survey::table(NodeId id) const {
    return *std::ranges::lower_bound(tables_, id, {}, &TableFacts::id);
}

}  // namespace quarry::extract::markdown
