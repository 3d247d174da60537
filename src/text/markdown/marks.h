// Which bytes of a markdown text are marks and not words: link targets, HTML tags, entities, fence lines.
// It errs towards words: plain text full of brackets and comparison signs must come through whole.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace quarry::text {

// A line of three or more ` or ~, behind indentation and the marks of quotes and lists.
struct Fence {
    char mark = 0;  // 0: there is none
    std::size_t length = 0;
    std::size_t marks_end = 0;  // where the info string begins
};
Fence fence_at(std::string_view text, std::size_t line_begin);

// Whether this line ends the block that the fence began: as many marks of its kind, and nothing behind them.
bool closes_fence(std::string_view text, std::size_t line_begin, const Fence& fence);

// Reads along with a scan of the text from its begin to its end; positions asked for never decrease. Linear
// in all.
class MarkdownMarks {
public:
    explicit MarkdownMarks(std::string_view text) : text_(text) {}

    // For the begin of each line: where its words begin. Behind the line if it has none, such as a fence.
    std::size_t enter_line(std::size_t at);

    // For ` < ] and &: behind the mark that begins here, or `at` if none does.
    std::size_t skip(std::size_t at);

    // Whether this is inside a code span or a fenced block, where nothing is a mark.
    bool is_code(std::size_t at) const { return at < code_end_; }

private:
    std::size_t enter_fence(const Fence& fence);
    std::size_t enter_code_span(std::size_t at);
    std::size_t skip_tag(std::size_t at);

    std::string_view text_;
    std::size_t code_end_ = 0;
    std::size_t closing_line_ = std::string_view::npos;  // of the fence that was entered last
    bool has_no_comment_end_ = false;                    // from here on
    // A search for a closing run of n backticks failed up to here: searching again would be quadratic.
    std::array<std::size_t, 17> unclosed_until_{};
};

}  // namespace quarry::text
