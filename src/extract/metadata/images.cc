#include "extract/metadata/images.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/ascii.h"
#include "extract/metadata/links.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

// "640w" is 640, "2x" is 2; widths and densities are not mixed in one attribute. Heights are not used.
double size_of(std::string_view descriptor) {
    descriptor = trimmed(descriptor);
    if (descriptor.empty()) return 1;
    double size = 0;
    const auto [end, error] = std::from_chars(descriptor.data(), descriptor.data() + descriptor.size(), size);
    const bool has_unit = end != descriptor.data() + descriptor.size() && (*end == 'w' || *end == 'x');
    return error == std::errc{} && has_unit ? size : 0;
}

std::string_view take_url(std::string_view& rest) {
    const std::size_t end = std::min(rest.find_first_of(ascii_white_space), rest.size());
    const std::string_view url = rest.substr(0, end);
    rest.remove_prefix(end);
    return url;
}

// Up to the next comma outside brackets, which future descriptors may have.
std::string_view take_descriptor(std::string_view& rest) {
    std::size_t end = 0;
    bool in_brackets = false;
    for (; end < rest.size() && (in_brackets || rest[end] != ','); ++end) {
        if (rest[end] == '(') in_brackets = true;
        if (rest[end] == ')') in_brackets = false;
    }
    const std::string_view descriptor = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return descriptor;
}

}  // namespace

std::string_view best_source(std::string_view srcset) {
    std::string_view best;
    double best_size = -1;
    while (true) {
        const std::size_t start = srcset.find_first_not_of(" \t\n\f\r,");
        if (start == std::string_view::npos) return best;
        srcset.remove_prefix(start);
        std::string_view url = take_url(srcset);
        double size = 1;
        if (url.ends_with(',')) {
            while (url.ends_with(',')) url.remove_suffix(1);
        } else {
            size = size_of(take_descriptor(srcset));
        }
        if (!url.empty() && size > best_size) {
            best = url;
            best_size = size;
        }
    }
}

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

bool is_data(std::string_view reference) {
    return reference.size() >= 5 && equals_ignore_case(reference.substr(0, 5), "data:");
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

namespace {

constexpr std::size_t max_images = 20'000;
constexpr std::size_t max_alt_bytes = 1'000;

std::string image_url(std::string_view source, const url::Url* base, DataImages data_images) {
    const bool is_data = source.size() > 11 && equals_ignore_case(source.substr(0, 11), "data:image/");
    if (is_data) return data_images == DataImages::keep ? std::string(source) : std::string{};
    return source.empty() ? std::string{} : absolute_url(source, base);
}

}  // namespace

std::vector<Image> find_images(const html::Tree& tree, const url::Url* base, DataImages data_images) {
    std::vector<Image> images;
    std::unordered_set<std::string> known;
    // AMP pages write <amp-img>, with the attributes of <img>.
    const auto amp_img = tree.find_tag("amp-img");
    for (html::NodeId id = 0; id < tree.size() && images.size() < max_images; ++id) {
        if (!tree.is(id, html::Tag::img) && !(amp_img && tree.is(id, *amp_img))) continue;
        std::string url = image_url(image_source(tree, id), base, data_images);
        if (url.empty() || !known.insert(url).second) continue;
        images.push_back({.url = std::move(url),
                          .alt = one_line(tree.attribute_or_empty(id, html::Attr::alt), max_alt_bytes)});
    }
    return images;
}

}  // namespace quarry::extract
