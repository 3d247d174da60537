// Making nodes and finding the place where the standard wants them.
#include <algorithm>

#include "html/characters.h"
#include "html/construction/tree_builder.h"

namespace quarry::html {

NodeId TreeBuilder::contents_of(NodeId node) const {
    const BuildNode& element = nodes_[node];
    const bool is_template = element.tag == Tag::template_ && element.space == Namespace::html &&
                             element.kind == NodeKind::element;
    return is_template && element.first != no_node ? element.first : node;
}

Place TreeBuilder::place_for(NodeId target) const {
    if (foster_parenting_) {
        const BuildNode& element = nodes_[target];
        if ((tag_classes(element.space, element.tag) & table_structure) != 0) return foster_place();
    }
    return {contents_of(target), no_node};
}

// Content that may not stand in a table goes before it.
Place TreeBuilder::foster_place() const {
    const auto last_template = open_.topmost(Tag::template_);
    const auto last_table = open_.topmost(Tag::table);
    if (last_template != OpenElements::none && last_template > last_table) {
        return {contents_of(open_[last_template].node), no_node};
    }
    if (last_table == OpenElements::none) return {open_[0].node, no_node};
    const NodeId table = open_[last_table].node;
    if (nodes_[table].parent != no_node) return {nodes_[table].parent, table};
    return {contents_of(open_[last_table - 1].node), no_node};
}

NodeId TreeBuilder::create_element(const Token& token, Tag tag, Namespace space) {
    BuildNode& node = nodes_.add();
    node.space = space;
    node.tag = tag;
    if (token.attribute_count != 0) {
        node.first_attribute = token.first_attribute;
        node.attribute_count = token.attribute_count;
        tokenizer_.keep_attributes();
    }
    return nodes_.size() - 1;
}

NodeId TreeBuilder::insert_element(const Token& token) {
    const NodeId node = create_element(token, token.tag, Namespace::html);
    nodes_.insert(open_.empty() ? Place{document_node} : place_here(), node);
    open_.push({.node = node, .tag = token.tag, .token_tag = token.tag});
    return node;
}

NodeId TreeBuilder::insert_element(Tag tag) {
    Token token;
    token.kind = TokenKind::start_tag;
    token.tag = tag;
    return insert_element(token);
}

void TreeBuilder::insert_void_element(const Token& token) {
    nodes_.insert(place_here(), create_element(token, token.tag, Namespace::html));
}

void TreeBuilder::insert_foreign_element(Token& token, Namespace space) {
    adjust_foreign_attributes(token, space);
    OpenElement element{.tag = token.tag, .token_tag = token.tag, .space = space};
    if (space == Namespace::svg) element.tag = adjusted_svg_tag(token.tag);
    element.node = create_element(token, element.tag, space);
    element.is_html_integration_point = is_html_integration_point(element, token);
    nodes_.insert(place_here(), element.node);
    if (!token.self_closing) open_.push(element);
}

void TreeBuilder::insert_text(std::string_view text) {
    const Place place = place_here();
    if (place.parent != document_node) nodes_.insert_text(place, text);
}

void TreeBuilder::insert_leaf(const Token& token, Place place) {
    if (is_full()) return;
    BuildNode node;
    node.kind = token.kind == TokenKind::comment ? NodeKind::comment : NodeKind::processing_instruction;
    node.text_data = token.text.data();
    node.text_size = static_cast<std::uint32_t>(token.text.size());
    nodes_.insert(place, nodes_.add(node));
}

void TreeBuilder::insert_raw_text_element(const Token& token, TokenizerState state) {
    if (is_full()) {
        open_.push({.node = discarded_, .tag = token.tag, .token_tag = token.tag});
    } else {
        insert_element(token);
    }
    tokenizer_.set_state(state, name_of(token.tag));
    original_mode_ = mode_;
    mode_ = Mode::text;
}

// A second <html> or <body> adds the attributes that the first one lacks.
void TreeBuilder::merge_attributes(const Token& token, NodeId element) {
    constexpr std::uint32_t most_attributes = 64;
    std::vector<Attribute>& all = tree_.attributes_;
    BuildNode& node = nodes_[element];
    if (token.attribute_count == 0 || node.attribute_count >= most_attributes) return;
    std::vector<Attribute> merged;
    for (std::uint32_t i = 0; i < node.attribute_count; ++i) merged.push_back(all[node.first_attribute + i]);
    const std::size_t had = merged.size();
    for (std::uint32_t i = 0; i < token.attribute_count && merged.size() < most_attributes; ++i) {
        const Attribute& added = all[token.first_attribute + i];
        const auto is_same_name = [&](const Attribute& other) { return other.name == added.name; };
        if (std::ranges::none_of(merged, is_same_name)) merged.push_back(added);
    }
    if (merged.size() == had) return;
    node.first_attribute = static_cast<std::uint32_t>(all.size());
    node.attribute_count = static_cast<std::uint16_t>(merged.size());
    all.insert(all.end(), merged.begin(), merged.end());
    tokenizer_.keep_attributes();
}

bool TreeBuilder::has_attribute(const Token& token, Attr name) const {
    const auto attributes =
        std::span(tree_.attributes_).subspan(token.first_attribute, token.attribute_count);
    return std::ranges::any_of(attributes,
                               [&](const Attribute& attribute) { return attribute.name == name; });
}

std::string_view TreeBuilder::attribute(const Token& token, Attr name) const {
    for (std::uint32_t i = 0; i < token.attribute_count; ++i) {
        const Attribute& attribute = tree_.attributes_[token.first_attribute + i];
        if (attribute.name == name) return attribute.value;
    }
    return {};
}

std::string_view TreeBuilder::name_of(Tag tag) const {
    return tree_.name(tag);
}

}  // namespace quarry::html
