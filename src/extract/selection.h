// Which nodes of a tree are content. The tree itself is never edited: stages mark, writers read the marks.
// walk() visits the kept nodes for everything that writes a selection. It does not recurse: the depth of a
// page is the page's choice, the stack is ours.
#pragma once

#include <cstdint>
#include <vector>

#include "html/tree.h"

namespace quarry::extract {

// Which nodes of a tree are content. The tree itself is never edited: stages mark, writers read the marks.

// A node is written if it and all of its ancestors are kept.
class Selection {
public:
    explicit Selection(const html::Tree& tree, bool kept = true) : kept_(tree.size(), kept ? 1 : 0) {}

    bool keeps(html::NodeId id) const { return kept_[id] != 0; }
    void keep(html::NodeId id) { kept_[id] = 1; }
    void drop(html::NodeId id) { kept_[id] = 0; }

private:
    std::vector<std::uint8_t> kept_;
};

// One walk over the kept nodes of a tree, for everything that writes a selection. No recursion: the depth of
// a page is the page's choice, the stack is ours.

enum class Descend : std::uint8_t { into, past };

// Calls visitor.open(id) for each kept element, which says whether to go on below it; visitor.text(id) for
// each kept text; visitor.close(id) when an element that was gone into ends. Starts with what is inside
// <body>, or inside the whole document where there is no body.
template <typename Visitor>
void walk_kept(const html::Tree& tree, const Selection& selection, Visitor& visitor) {
    if (tree.size() == 0) return;
    const html::NodeId root = tree.body() == html::no_node ? html::document_node : tree.body();
    for (html::NodeId id = root; id != html::no_node; id = tree[id].parent) {
        if (!selection.keeps(id)) return;
    }
    std::vector<html::NodeId> open;
    html::NodeId id = root + 1;
    while (id < tree[root].end || !open.empty()) {
        if (!open.empty() && tree[open.back()].end == id) {
            visitor.close(open.back());
            open.pop_back();
            continue;
        }
        const html::Node& node = tree[id];
        // Template contents that are kept are a shadow root, rendered in place.
        const bool is_transparent = node.kind == html::NodeKind::template_contents;
        const bool is_element = node.kind == html::NodeKind::element;
        const bool is_text = node.kind == html::NodeKind::text;
        if (!selection.keeps(id) || !(is_transparent || is_element || is_text)) {
            id = node.end;
            continue;
        }
        if (is_text) visitor.text(id);
        if (is_element && visitor.open(id) == Descend::past) {
            id = node.end;
            continue;
        }
        if (is_element) open.push_back(id);
        ++id;
    }
}

}  // namespace quarry::extract
