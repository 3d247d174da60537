#include "html/construction/tree_writer.h"

#include <algorithm>

namespace quarry::html {

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
