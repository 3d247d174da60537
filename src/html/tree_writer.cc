#include "html/tree_writer.h"

#include <algorithm>

namespace quarry::html {

namespace {

Node make_node(const BuildTree& nodes, const BuildNode& from) {
    Node node;
    node.kind = from.kind;
    node.space = from.space;
    node.tag = from.tag;
    node.attribute_count = from.attribute_count;
    node.first_attribute = from.first_attribute;
    node.text = from.kind == NodeKind::text ? nodes.joined_text(from) : from.text();
    return node;
}

}  // namespace

void TreeWriter::write(const BuildTree& nodes, Tree& tree) {
    std::vector<Node>& out = tree.nodes_;
    out.clear();
    out.reserve(nodes.size());
    NodeId parent = no_node;  // in `out`
    std::uint16_t depth = 0;
    for (NodeId from = document_node; from != no_node;) {
        const BuildNode& built = nodes[from];
        const auto id = static_cast<NodeId>(out.size());
        Node& node = out.emplace_back(make_node(nodes, built));
        node.parent = parent;
        node.depth = depth;
        node.end = id + 1;
        if (node.kind == NodeKind::element) tree.tags_.add(node.tag);
        const bool has_children = built.kind != NodeKind::text && built.first != no_node;
        if (has_children) {
            parent = id;
            ++depth;
            from = built.first;
            continue;
        }
        // Up to the nearest ancestor that has something after it; those passed on the way are complete.
        while (from != document_node && nodes[from].next == no_node) {
            from = nodes[from].parent;
            out[parent].end = static_cast<NodeId>(out.size());
            parent = out[parent].parent;
            --depth;
        }
        from = from == document_node ? no_node : nodes[from].next;
    }
    for (const Attribute& attribute : tree.attributes_) tree.attribute_names_.add(attribute.name);
}

}  // namespace quarry::html
