// Tab sets: every panel is written, under its label, whether it is the one shown or not.
#include <algorithm>

#include "extract/markdown/writer.h"
#include "extract/one_line.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

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
