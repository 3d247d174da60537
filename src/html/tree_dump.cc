#include "html/tree_inspection.h"

#include <algorithm>
#include <vector>

namespace quarry::html {

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
