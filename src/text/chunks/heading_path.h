// Under which headings a passage stands.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::text {

// A heading's line or lines as a reader sees them: without #, link targets and emphasis. Long ones are cut.
std::string plain_heading(std::string_view markdown);

// A heading and those above it. A path shares its upper part with others.
struct HeadingPath {
    std::shared_ptr<const HeadingPath> parent{};
    std::string text{};
    int level = 0;  // 0 for the page's title
    int depth = 0;  // how many headings it has above it
};
using SharedPath = std::shared_ptr<const HeadingPath>;

// The path of a new heading that comes behind one with the path `before`.
SharedPath path_below(SharedPath before, int level, std::string text);

// The deepest path that both are below of.
SharedPath common_path(SharedPath one, SharedPath other);

// From the top down; without a heading that only repeats the one above it, as a page's first often does its
// title.
std::vector<std::string> headings_of(const HeadingPath* path);

}  // namespace quarry::text
