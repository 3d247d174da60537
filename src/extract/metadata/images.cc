#include "extract/metadata/image_source.h"

#include <array>
#include <optional>

#include "base/ascii.h"
#include "extract/metadata/srcset.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

bool is_data(std::string_view reference) {
    return reference.size() >= 5 && same_letters(reference.substr(0, 5), "data:");
}

// Empty, "#" and data: are what lazy loaders put there for the time being.
bool is_placeholder(std::string_view reference) {
    return reference.empty() || reference == "#" || reference == "about:blank" || is_data(reference);
}

std::string_view unless_placeholder(std::string_view reference) {
    reference = trimmed(reference);
    return is_placeholder(reference) ? std::string_view{} : reference;
}

// Names that are not listed with a number are looked up in the tree; most pages have none of them.
std::string_view named_attribute(const Tree& tree, NodeId id, std::string_view name) {
    const auto number = tree.find_attribute_name(name);
    return number ? tree.attribute_or_empty(id, *number) : std::string_view{};
}

std::string_view from_srcset(const Tree& tree, NodeId id) {
    for (const Attr name : {Attr::srcset, Attr::data_srcset}) {
        const std::string_view best = best_source(tree.attribute_or_empty(id, name));
        if (!is_placeholder(best)) return best;
    }
    return unless_placeholder(best_source(named_attribute(tree, id, "data-lazy-srcset")));
}

std::string_view from_lazy_attributes(const Tree& tree, NodeId id) {
    for (const Attr name : {Attr::data_src, Attr::data_original, Attr::data_lazy_src}) {
        const std::string_view source = unless_placeholder(tree.attribute_or_empty(id, name));
        if (!source.empty()) return source;
    }
    static constexpr std::array rare{std::string_view{"data-lazy"}, std::string_view{"data-url"},
                                     std::string_view{"data-image"}, std::string_view{"data-hi-res-src"}};
    for (const std::string_view name : rare) {
        const std::string_view source = unless_placeholder(named_attribute(tree, id, name));
        if (!source.empty()) return source;
    }
    return {};
}

std::string_view from_picture(const Tree& tree, NodeId image) {
    const NodeId parent = tree[image].parent;
    if (parent == html::no_node || !tree.is(parent, Tag::picture)) return {};
    constexpr int most_sources = 20;
    NodeId child = tree.first_child(parent);
    for (int seen = 0; child != html::no_node && seen < most_sources;
         child = tree.next_sibling(child), ++seen) {
        if (!tree.is(child, Tag::source)) continue;
        if (const std::string_view source = from_srcset(tree, child); !source.empty()) return source;
    }
    return {};
}

}  // namespace

std::string_view image_source(const Tree& tree, NodeId image) {
    // The lazy attributes come before src, which holds a placeholder wherever they are used.
    if (const auto source = from_srcset(tree, image); !source.empty()) return source;
    if (const auto source = from_lazy_attributes(tree, image); !source.empty()) return source;
    const std::string_view source = trimmed(tree.attribute_or_empty(image, Attr::src));
    if (!is_placeholder(source)) return source;
    if (const auto other = from_picture(tree, image); !other.empty()) return other;
    return is_data(source) ? source : std::string_view{};
}

}  // namespace quarry::extract
