#include "html/tree.h"

#include "html/characters.h"
#include "html/source_text.h"

namespace quarry::html {

void Tree::DeleteStorage::operator()(Storage* storage) const {
    delete storage;
}

std::string_view Tree::name(Tag tag) const {
    const auto number = static_cast<std::uint16_t>(tag);
    return number < listed_tags ? spelling(tag) : storage_->source.tag_names.name(number);
}

std::string_view Tree::name(Attr name) const {
    const auto number = static_cast<std::uint16_t>(name);
    return number < listed_attributes ? spelling(name) : storage_->source.attribute_names.name(number);
}

std::optional<Tag> Tree::find_tag(std::string_view name) const {
    const HashedName hashed(name);
    if (const auto listed = find_listed_tag(hashed)) return listed;
    const auto number = storage_->source.tag_names.find(hashed);
    return number ? std::optional(static_cast<Tag>(*number)) : std::nullopt;
}

std::optional<Attr> Tree::find_attribute_name(std::string_view name) const {
    const HashedName hashed(name);
    if (const auto listed = find_listed_attribute(hashed)) return listed;
    const auto number = storage_->source.attribute_names.find(hashed);
    return number ? std::optional(static_cast<Attr>(*number)) : std::nullopt;
}

bool Tree::has_class(NodeId id, std::string_view token) const {
    if (token.empty()) return false;
    const std::string_view classes = attribute_or_empty(id, Attr::class_);
    for (std::size_t at = classes.find(token); at != std::string_view::npos;
         at = classes.find(token, at + 1)) {
        const std::size_t end = at + token.size();
        const bool begins = at == 0 || is_space(classes[at - 1]);
        const bool ends = end == classes.size() || is_space(classes[end]);
        if (begins && ends) return true;
    }
    return false;
}

std::string Tree::text_content(NodeId id) const {
    std::string text;
    for (NodeId i = id; i < node_span_[id].end;) {
        if (node_span_[i].kind == NodeKind::template_contents && i != id) {
            i = node_span_[i].end;
            continue;
        }
        if (node_span_[i].kind == NodeKind::text) text += node_span_[i].text;
        ++i;
    }
    return text;
}

}  // namespace quarry::html
