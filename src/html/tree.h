// A parsed HTML page: immutable, in document order, all of it in a few flat arrays.
//
// A node's id is its place in a preorder walk, so a subtree is the half-open range [id, node.end): "is
// inside" is a comparison, walking is counting, and sums over subtrees are prefix sums. A tree owns every
// byte its views point to; moving it keeps them valid. It may be read by many threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "html/names.h"

namespace quarry::html {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = UINT32_MAX;
inline constexpr NodeId document_node = 0;

enum class NodeKind : std::uint8_t {
    document,
    element,
    text,
    comment,
    doctype,
    processing_instruction,
    template_contents,  // the only child of a <template>; its children are the template's inert contents
};

enum class Namespace : std::uint8_t { html, svg, mathml };
enum class AttributeNamespace : std::uint8_t { none, xlink, xml, xmlns };

struct Attribute {
    Attr name{};
    AttributeNamespace space = AttributeNamespace::none;
    std::string_view value{};
};

struct Node {
    NodeKind kind = NodeKind::document;
    Namespace space = Namespace::html;
    Tag tag = Tag::first_unlisted;      // elements only
    std::uint16_t depth = 0;            // the document is 0
    std::uint16_t attribute_count = 0;  // elements only
    NodeId parent = no_node;
    NodeId end = 0;                     // one past the last descendant
    std::uint32_t first_attribute = 0;  // index into the tree's attributes
    std::string_view text{};  // text and comment data; the doctype's name; the instruction's target and data
};

enum class Quirks : std::uint8_t { none, limited, full };

// What the parser gave up, so that callers can warn: a capped page still holds all of its text.
struct LimitsHit {
    bool depth = false;
    bool nodes = false;
    bool attributes = false;
    bool bytes = false;
};

class Tree {
public:
    NodeId size() const { return static_cast<NodeId>(node_span_.size()); }
    const Node& operator[](NodeId id) const { return node_span_[id]; }
    std::span<const Node> nodes() const { return node_span_; }

    NodeId first_child(NodeId id) const { return id + 1 < node_span_[id].end ? id + 1 : no_node; }
    NodeId next_sibling(NodeId id) const {
        const Node& node = node_span_[id];
        return node.parent != no_node && node.end < node_span_[node.parent].end ? node.end : no_node;
    }
    bool contains(NodeId ancestor, NodeId id) const {
        return ancestor <= id && id < node_span_[ancestor].end;
    }

    bool is_element(NodeId id) const { return node_span_[id].kind == NodeKind::element; }
    bool is_text(NodeId id) const { return node_span_[id].kind == NodeKind::text; }
    // An element of the HTML namespace with this tag.
    bool is(NodeId id, Tag tag) const {
        const Node& node = node_span_[id];
        return node.tag == tag && node.kind == NodeKind::element && node.space == Namespace::html;
    }

    std::string_view name(Tag tag) const;
    std::string_view name(Attr name) const;
    // The number of a name as it appears in this tree, or nothing if no node has it and it is not listed.
    std::optional<Tag> find_tag(std::string_view name) const;
    std::optional<Attr> find_attribute_name(std::string_view name) const;

    std::span<const Attribute> attributes(NodeId id) const {
        return attribute_span_.subspan(node_span_[id].first_attribute, node_span_[id].attribute_count);
    }
    // The value of the attribute, or nothing. Text nodes have no attributes.
    std::optional<std::string_view> attribute(NodeId id, Attr name) const {
        for (const Attribute& attribute : attributes(id)) {
            if (attribute.name == name) return attribute.value;
        }
        return std::nullopt;
    }
    // The same, with "" for a missing one.
    std::string_view attribute_or_empty(NodeId id, Attr name) const {
        for (const Attribute& attribute : attributes(id)) {
            if (attribute.name == name) return attribute.value;
        }
        return {};
    }
    // True if the class attribute has this token; case matters.
    bool has_class(NodeId id, std::string_view token) const;

    // False if no element has this listed tag or attribute, so that the caller need not look for one.
    bool may_have(Tag tag) const { return tags_.contains(tag); }
    bool may_have(Attr name) const { return attribute_names_.contains(name); }

    // The <html>, <head> and <body> elements; no_node where one is missing. For a fragment, html() is the
    // root that holds it. A page of frames has no body.
    NodeId html() const { return html_; }
    NodeId head() const { return head_; }
    NodeId body() const { return body_; }

    // All text below `id`, as it stands, without template contents.
    std::string text_content(NodeId id) const;

    Quirks quirks() const { return quirks_; }
    LimitsHit limits_hit() const { return limits_hit_; }
    // The doctype's public and system identifiers.
    std::string_view public_id() const { return public_id_; }
    std::string_view system_id() const { return system_id_; }

private:
    friend class TreeBuilder;
    friend class TreeWriter;
    struct Storage;  // the source text, the arena of copied strings, the unlisted names
    struct DeleteStorage {
        void operator()(Storage* storage) const;
    };

    std::vector<Node> nodes_;
    std::vector<Attribute> attributes_;
    // All nodes and attributes, once the tree is finished. A span knows its length, so checking an index is
    // one comparison; a vector divides by the size of its elements each time. Moving the tree keeps the spans
    // valid.
    std::span<const Node> node_span_;
    std::span<const Attribute> attribute_span_;
    TagSet tags_;
    AttrSet attribute_names_;
    std::unique_ptr<Storage, DeleteStorage> storage_;
    std::string_view public_id_, system_id_;
    NodeId html_ = no_node, head_ = no_node, body_ = no_node;
    Quirks quirks_ = Quirks::none;
    LimitsHit limits_hit_;
};

}  // namespace quarry::html
