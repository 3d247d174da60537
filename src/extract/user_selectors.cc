#include "extract/user_selectors.h"

#include <cstdint>
#include <vector>

#include "html/selector/html_selector.h"

namespace quarry::extract {

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
