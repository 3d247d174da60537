#include "extract/user_selectors.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "html/selector/selector.h"

namespace quarry::extract {

Result<std::vector<AttributeValues>> read_attributes(const html::Tree& tree,
                                                     std::span<const AttributeWish> wishes) {
    std::size_t values_left = 10'000, bytes_left = 4u << 20;
    std::vector<AttributeValues> all;
    for (const AttributeWish& wish : wishes) {
        const auto selectors = html::parse_selectors(wish.selector);
        if (!selectors)
            return fail(selectors.error().code,
                        fmt::format("the selector \"{}\": {}", wish.selector, selectors.error().message));
        AttributeValues found{.selector = wish.selector, .attribute = wish.attribute};
        // Nothing if no element of the page has an attribute of that name.
        const auto name = tree.find_attribute_name(lower_case(wish.attribute));
        for (const html::NodeId node : name ? html::select(tree, *selectors) : std::vector<html::NodeId>()) {
            const auto value = tree.attribute(node, *name);
            if (!value || values_left == 0 || value->size() > bytes_left) continue;
            found.values.emplace_back(*value);
            --values_left;
            bytes_left -= value->size();
        }
        all.push_back(std::move(found));
    }
    return all;
}

namespace {

using html::NodeId;
using html::Tree;

// A mark for each node that matches any of the selectors.
Result<std::vector<std::uint8_t>> mark(const Tree& tree, std::span<const std::string> selectors) {
    std::vector<std::uint8_t> marks(tree.size(), 0);
    for (const std::string& text : selectors) {
        auto parsed = html::parse_selectors(text);
        if (!parsed) {
            return fail(parsed.error().code,
                        "cannot read the selector \"" + text + "\": " + parsed.error().message);
        }
        const std::vector<std::uint8_t> matches = html::mark_matches(tree, *parsed);
        for (NodeId id = 0; id < tree.size(); ++id) marks[id] |= matches[id];
    }
    return marks;
}

}  // namespace

Result<void> keep_only(const Tree& tree, std::span<const std::string> selectors, Selection& selection) {
    const std::vector<std::uint8_t> marks = TRY(mark(tree, selectors));
    std::vector<std::uint8_t> wanted(tree.size(), 0);
    NodeId inside_until = 0;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (marks[id] != 0 && id >= inside_until) {
            inside_until = tree[id].end;
            // The way up must be kept too. It stops at the first ancestor that another match has marked, so
            // the sum of all ways is at most the number of nodes.
            for (NodeId at = tree[id].parent; at != html::no_node && wanted[at] == 0; at = tree[at].parent) {
                wanted[at] = 1;
            }
        }
        if (id < inside_until) wanted[id] = 1;
    }
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (wanted[id] == 0) selection.drop(id);
    }
    return {};
}

Result<void> drop_matches(const Tree& tree, std::span<const std::string> selectors, Selection& selection) {
    const std::vector<std::uint8_t> marks = TRY(mark(tree, selectors));
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (marks[id] != 0) selection.drop(id);
    }
    return {};
}

}  // namespace quarry::extract
