#include "html/construction/build_tree.h"

#include <algorithm>
#include <cstring>

namespace quarry::html {

namespace {

// Runs up to this length are copied behind what the arena handed out last instead of becoming a piece of
// their own: a page of nothing but references would otherwise need more memory for pieces than for text.
constexpr std::size_t longest_copied_run = 1024;

constexpr std::uint32_t max_depth = (1U << 15) - 1;

}  // namespace

void BuildTree::insert(Place place, NodeId id) {
    BuildNode& node = nodes_[id];
    BuildNode& parent = nodes_[place.parent];
    node.parent = place.parent;
    node.depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(parent.depth + 1U, max_depth));
    node.next = place.before;
    if (place.before == no_node) {
        node.previous = parent.last;
        parent.last = id;
    } else {
        node.previous = nodes_[place.before].previous;
        nodes_[place.before].previous = id;
    }
    if (node.previous == no_node) {
        parent.first = id;
    } else {
        nodes_[node.previous].next = id;
    }
}

void BuildTree::detach(NodeId id) {
    BuildNode& node = nodes_[id];
    if (node.parent == no_node) return;
    BuildNode& parent = nodes_[node.parent];
    (node.previous == no_node ? parent.first : nodes_[node.previous].next) = node.next;
    (node.next == no_node ? parent.last : nodes_[node.next].previous) = node.previous;
    node.parent = node.previous = node.next = no_node;
}

void BuildTree::move_children(NodeId from, NodeId to) {
    BuildNode& source = nodes_[from];
    BuildNode& target = nodes_[to];
    if (source.first == no_node) return;
    for (NodeId child = source.first; child != no_node; child = nodes_[child].next) nodes_[child].parent = to;
    nodes_[source.first].previous = target.last;
    (target.last == no_node ? target.first : nodes_[target.last].next) = source.first;
    target.last = source.last;
    source.first = source.last = no_node;
}

void BuildTree::insert_text(Place place, std::string_view text) {
    if (text.empty()) return;
    const NodeId before = place.before == no_node ? nodes_[place.parent].last : nodes_[place.before].previous;
    if (before != no_node && nodes_[before].kind == NodeKind::text) {
        extend_text(nodes_[before], text);
        return;
    }
    BuildNode& node = add();
    node.kind = NodeKind::text;
    node.text_data = text.data();
    node.text_size = static_cast<std::uint32_t>(text.size());
    insert(place, size() - 1);
}

void BuildTree::extend_text(BuildNode& node, std::string_view text) {
    if (node.last == no_node) {
        if (extend_piece(node.text_data, node.text_size, text)) return;
    } else {
        TextPiece& last = pieces_[node.last];
        if (extend_piece(last.data, last.size, text)) return;
    }
    const bool in_arena = text_arena_.can_extend(text.data() + text.size(), 0);
    const bool copied = !in_arena && text.size() <= longest_copied_run;
    const std::string_view kept = copied ? text_arena_.copy(text) : text;
    const auto piece = static_cast<std::uint32_t>(pieces_.size());
    pieces_.push_back({kept.data(), static_cast<std::uint32_t>(kept.size()), no_node});
    (node.last == no_node ? node.first : pieces_[node.last].next) = piece;
    node.last = piece;
}

// Grows a piece if the new text follows it in memory, or can be made to.
bool BuildTree::extend_piece(const char* data, std::uint32_t& size, std::string_view text) {
    const char* end = data + size;
    if (end != text.data()) {
        if (text.size() > longest_copied_run || !text_arena_.can_extend(end, text.size())) return false;
        text_arena_.copy(text);
    }
    size += static_cast<std::uint32_t>(text.size());
    return true;
}

std::string_view BuildTree::joined_text(const BuildNode& node) const {
    if (node.first == no_node) return node.text();
    std::size_t size = node.text_size;
    for (std::uint32_t i = node.first; i != no_node; i = pieces_[i].next) size += pieces_[i].size;
    char* const joined = text_arena_.allocate(size);
    char* at = std::copy_n(node.text_data, node.text_size, joined);
    for (std::uint32_t i = node.first; i != no_node; i = pieces_[i].next) {
        at = std::copy_n(pieces_[i].data, pieces_[i].size, at);
    }
    return {joined, size};
}

namespace {

void fill(Node& node, const BuildTree& nodes, const BuildNode& from) {
    node.kind = from.kind;
    node.space = from.space;
    node.tag = from.tag;
    node.attribute_count = from.attribute_count;
    node.first_attribute = from.first_attribute;
    node.text = from.kind == NodeKind::text ? nodes.joined_text(from) : from.text();
}

}  // namespace

void TreeWriter::write(const BuildTree& nodes, Tree& tree) {
    std::vector<Node>& out = tree.nodes_;
    out.clear();
    out.reserve(nodes.size());
    Node* const written = out.data();  // stays where it is: there is room for all
    NodeId parent = no_node;           // in `written`, like each parent there
    std::uint16_t depth = 0;
    const BuildNode* const document = &nodes[document_node];
    for (const BuildNode* from = document;;) {
        const auto id = static_cast<NodeId>(out.size());
        Node& node = out.emplace_back();
        fill(node, nodes, *from);
        node.parent = parent;
        node.depth = depth;
        node.end = id + 1;
        if (node.kind == NodeKind::element) tree.tags_.add(node.tag);
        const bool has_children = from->kind != NodeKind::text && from->first != no_node;
        if (has_children) {
            parent = id;
            ++depth;
            from = &nodes[from->first];
            continue;
        }
        // Up to the nearest ancestor that has something after it; those passed on the way are complete.
        while (from != document && from->next == no_node) {
            from = &nodes[from->parent];
            written[parent].end = static_cast<NodeId>(out.size());
            parent = written[parent].parent;
            --depth;
        }
        if (from == document) break;
        from = &nodes[from->next];
    }
    for (const Attribute& attribute : tree.attributes_) tree.attribute_names_.add(attribute.name);
    tree.node_span_ = tree.nodes_;
    tree.attribute_span_ = tree.attributes_;
}

}  // namespace quarry::html
