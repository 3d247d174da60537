// What has changed between two texts, line by line, as `diff -u` and git show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::text {

enum class LineChange : std::uint8_t { same, removed, added };

struct DiffLine {
    LineChange change = LineChange::same;
    std::string_view text{};  // of one of the two texts, without its line end
};

// Lines that belong together, with those around them. Lines are counted from 1; a side without lines stands
// at the line before it, as in unified diffs.
struct DiffHunk {
    std::size_t old_start = 0, old_count = 0;
    std::size_t new_start = 0, new_count = 0;
    std::vector<DiffLine> lines{};
};

struct DiffLimits {
    std::size_t edits = 1'000;  // beyond it, all that lies between the first and the last change is replaced
    std::size_t lines = 100'000;  // of either text; the same beyond it
};

// Empty if the texts have the same lines. As few removed and added lines as possible (Myers 1986), within the
// limits: time is bounded by lines times edits, memory by edits squared. Both texts outlive the result.
std::vector<DiffHunk> diff_lines(std::string_view before, std::string_view after,
                                 const DiffLimits& limits = {});

// "@@ -1,3 +1,4 @@"
std::string header_of(const DiffHunk& hunk);

// All hunks as one text, with a header line for each.
std::string unified(const std::vector<DiffHunk>& hunks);

}  // namespace quarry::text
