// The tree while it is being built: nodes that can still be moved, linked by index. The parser moves
// elements about (misplaced table content, misnested formatting), so order is only settled at the end.
// TreeWriter then turns the tree as built into the tree as read, in one walk.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "html/source_text.h"
#include "html/tree.h"

namespace quarry::html {

// The tree while it is being built: nodes that can still be moved, linked by index. The parser moves elements
// about (misplaced table content, misnested formatting), so order is only settled at the end, by TreeWriter.

struct BuildNode {
    NodeKind kind = NodeKind::element;
    Namespace space = Namespace::html;
    Tag tag = Tag::first_unlisted;
    std::uint16_t depth : 15 = 0;  // when inserted; moving may only have made it less
    bool is_open : 1 = false;      // on the stack of open elements
    std::uint16_t attribute_count = 0;
    std::uint32_t first_attribute = 0;
    NodeId parent = no_node;
    NodeId previous = no_node;
    NodeId next = no_node;
    NodeId first = no_node;  // the first child, or a text's second piece
    NodeId last = no_node;   // the last child, or a text's last piece
    std::uint32_t text_size = 0;
    const char* text_data = nullptr;

    std::string_view text() const { return {text_data, text_size}; }
};

// A text that was interrupted goes on in another piece.
struct TextPiece {
    const char* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t next = no_node;
};

// Where a node goes: before a child of `parent`, or behind its last one.
struct Place {
    NodeId parent = no_node;
    NodeId before = no_node;
};

class BuildTree {
public:
    BuildTree(Arena& text_arena, std::size_t expected_nodes) : text_arena_(text_arena) {
        storage_.reserve(expected_nodes);
    }

    NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
    BuildNode& operator[](NodeId id) { return nodes_[id]; }
    const BuildNode& operator[](NodeId id) const { return nodes_[id]; }

    // Adds a node that has no place in the tree yet.
    NodeId add(const BuildNode& node) {
        add() = node;
        return size() - 1;
    }
    // The same, to be filled in; valid until the next one.
    BuildNode& add() {
        storage_.emplace_back();
        nodes_ = {storage_.data(), nodes_.size() + 1};
        return nodes_.back();
    }
    void insert(Place place, NodeId node);
    void append(NodeId parent, NodeId node) { insert({parent, no_node}, node); }
    void detach(NodeId node);
    // Moves every child of `from` behind the last child of `to`, which has none or some. Costs their number.
    void move_children(NodeId from, NodeId to);

    // Adds characters at the place: to the text before it, or as a new text node.
    void insert_text(Place place, std::string_view text);
    // The whole text of a text node as one string; joins its pieces if there are several.
    std::string_view joined_text(const BuildNode& node) const;

private:
    void extend_text(BuildNode& node, std::string_view text);
    bool extend_piece(const char* data, std::uint32_t& size, std::string_view text);

    Arena& text_arena_;
    std::vector<BuildNode> storage_;
    // All of it. A span knows its length, so that checking an index is one comparison; a vector divides by
    // the size of its elements each time.
    std::span<BuildNode> nodes_;
    std::vector<TextPiece> pieces_;
};

// Turns the tree as built into the tree as read: one walk in document order.

class TreeWriter {
public:
    // Fills the nodes of `tree` from `nodes`, whose node 0 is the document.
    static void write(const BuildTree& nodes, Tree& tree);
};

}  // namespace quarry::html
