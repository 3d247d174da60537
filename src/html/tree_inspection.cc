#include "html/tree_check.h"

#include <vector>

namespace quarry::html {

namespace {

std::string at(std::string_view what, NodeId id) {
    return std::string(what) + " at node " + std::to_string(id);
}

bool is_valid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80   ? 1
                                   : lead < 0xC2 ? 0
                                   : lead < 0xE0 ? 2
                                   : lead < 0xF0 ? 3
                                   : lead < 0xF5 ? 4
                                                 : 0;
        if (length == 0 || i + length > text.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
        }
        i += length;
    }
    return true;
}

std::string fault_of_place(const Tree& tree, NodeId id) {
    const Node& node = tree[id];
    if (node.end <= id || node.end > tree.size()) return at("the end is out of range", id);
    if (id == document_node)
        return node.parent == no_node && node.depth == 0 ? "" : "the document is not the root";
    if (node.parent >= id) return at("the parent does not come first", id);
    const Node& parent = tree[node.parent];
    if (node.end > parent.end) return at("the subtree sticks out of its parent's", id);
    if (node.depth != parent.depth + 1) return at("the depth is wrong", id);
    // In preorder a node follows its parent or the end of the sibling before it, which is what "no gap"
    // means.
    const bool follows = id == node.parent + 1 || tree[id - 1].end == id;
    return follows ? "" : at("there is a gap before the node", id);
}

std::string fault_of_kind(const Tree& tree, NodeId id) {
    const Node& node = tree[id];
    const bool is_parent = node.end != id + 1;
    switch (node.kind) {
        case NodeKind::document: return id == document_node ? "" : at("a second document", id);
        case NodeKind::text:
            if (node.text.empty()) return at("an empty text", id);
            if (id + 1 < tree.size() && tree[id + 1].kind == NodeKind::text &&
                tree[id + 1].parent == node.parent) {
                return at("two texts in a row", id);
            }
            [[fallthrough]];
        case NodeKind::comment:
        case NodeKind::doctype:
        case NodeKind::processing_instruction:
            if (is_parent || node.attribute_count != 0) return at("a leaf has children or attributes", id);
            return is_valid_utf8(node.text) ? "" : at("the text is not UTF-8", id);
        case NodeKind::template_contents:
            return tree.is(node.parent, Tag::template_) ? "" : at("contents outside of a template", id);
        case NodeKind::element: return "";
    }
    return at("an unknown kind", id);
}

std::string fault_of_attributes(const Tree& tree, NodeId id) {
    const auto attributes = tree.attributes(id);
    for (const Attribute& attribute : attributes) {
        if (!is_valid_utf8(attribute.value)) return at("an attribute is not UTF-8", id);
        if (tree.name(attribute.name).empty()) return at("an attribute without a name", id);
    }
    return tree.is_element(id) && tree.name(tree[id].tag).empty() ? at("an element without a name", id) : "";
}

}  // namespace

std::string find_fault(const Tree& tree) {
    if (tree.size() == 0) return "there is no document";
    for (NodeId id = 0; id < tree.size(); ++id) {
        for (const auto check : {fault_of_place, fault_of_kind, fault_of_attributes}) {
            if (std::string fault = check(tree, id); !fault.empty()) return fault;
        }
    }
    for (const NodeId named : {tree.html(), tree.head(), tree.body()}) {
        if (named != no_node && !tree.is_element(named)) return at("html, head or body is no element", named);
    }
    return "";
}

}  // namespace quarry::html
