#include "html/tree_inspection.h"

#include <algorithm>
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

namespace {

std::string prefixed(std::string_view prefix, std::string_view name) {
    return std::string(prefix).append(prefix.empty() ? "" : " ").append(name);
}

std::string attribute_name(const Tree& tree, const Attribute& attribute) {
    constexpr std::string_view prefixes[] = {"", "xlink", "xml", "xmlns"};
    return prefixed(prefixes[static_cast<std::size_t>(attribute.space)], tree.name(attribute.name));
}

std::string dump_doctype(const Tree& tree, const Node& node) {
    std::string line = "<!DOCTYPE " + std::string(node.text);
    if (!tree.public_id().empty() || !tree.system_id().empty()) {
        line.append(" \"").append(tree.public_id()).append("\" \"").append(tree.system_id()).append("\"");
    }
    return line + ">";
}

std::string dump_node(const Tree& tree, const Node& node) {
    switch (node.kind) {
        case NodeKind::text: return "\"" + std::string(node.text) + "\"";
        case NodeKind::comment: return "<!-- " + std::string(node.text) + " -->";
        case NodeKind::doctype: return dump_doctype(tree, node);
        case NodeKind::template_contents: return "content";
        case NodeKind::document: return "#document";
        case NodeKind::processing_instruction: {
            const bool has_data = node.text.find(' ') != std::string_view::npos;
            return "<?" + std::string(node.text) + (has_data ? "?>" : " ?>");
        }
        case NodeKind::element: {
            constexpr std::string_view prefixes[] = {"", "svg", "math"};
            return "<" + prefixed(prefixes[static_cast<std::size_t>(node.space)], tree.name(node.tag)) + ">";
        }
    }
    return "?";
}

void append_line(std::string& out, std::size_t level, std::string_view text) {
    out.append("| ").append(level * 2, ' ').append(text).append("\n");
}

}  // namespace

std::string dump(const Tree& tree, NodeId root) {
    std::string out;
    for (NodeId id = root + 1; id < tree[root].end; ++id) {
        const std::size_t level = static_cast<std::size_t>(tree[id].depth - tree[root].depth - 1);
        append_line(out, level, dump_node(tree, tree[id]));
        std::vector<std::string> attributes;
        for (const Attribute& attribute : tree.attributes(id)) {
            attributes.push_back(attribute_name(tree, attribute) + "=\"" + std::string(attribute.value) +
                                 "\"");
        }
        std::ranges::sort(attributes);
        for (const std::string& attribute : attributes) append_line(out, level + 1, attribute);
    }
    return out;
}

}  // namespace quarry::html
