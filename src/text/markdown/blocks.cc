#include "text/markdown/blocks.h"

#include <algorithm>

#include "base/ascii.h"

namespace quarry::text {
namespace {

constexpr std::size_t code_indent = 4;

// |---|:-:| in all its forms
bool is_table_rule(std::string_view line) {
    return line.find_first_not_of("|-: \t\r") == std::string_view::npos &&
           line.find('-') != std::string_view::npos && line.find('|') != std::string_view::npos;
}

}  // namespace

MarkdownBlocks::Line MarkdownBlocks::line_at(std::size_t begin) const {
    Line line{.begin = begin, .end = std::min(text_.find('\n', begin), text_.size()), .first = begin};
    for (; line.first < line.end; ++line.first) {
        const char c = text_[line.first];
        if (c == '\t')
            line.indent += 4 - line.indent % 4;
        else if (c == ' ')
            ++line.indent;
        else if (c != '\r')
            break;
    }
    return line;
}

int MarkdownBlocks::heading_level(const Line& line) const {
    const std::string_view text = content(line);
    if (line.indent >= code_indent || text.empty() || text[0] != '#') return 0;
    const std::size_t marks = std::min(text.find_first_not_of('#'), text.size());
    const bool is_heading = marks <= 6 && (marks == text.size() || text[marks] == ' ' ||
                                           text[marks] == '\t' || text[marks] == '\r');
    return is_heading ? static_cast<int>(marks) : 0;
}

bool MarkdownBlocks::is_list_item(const Line& line) const {
    const std::string_view text = content(line);
    std::size_t mark = 0;
    while (mark < text.size() && mark < 9 && is_ascii_digit(text[mark])) ++mark;
    const std::string_view marks = mark > 0 ? ".)" : "-*+";
    if (mark >= text.size() || marks.find(text[mark]) == std::string_view::npos) return false;
    return mark + 1 == text.size() || text[mark + 1] == ' ' || text[mark + 1] == '\t';
}

bool MarkdownBlocks::is_table_row(const Line& line) const {
    return content(line).find('|') != std::string_view::npos;
}

bool MarkdownBlocks::begins_table(const Line& line) const {
    const Line rule = line_behind(line);
    if (is_blank(rule) || std::string_view("|-:").find(text_[rule.first]) == std::string_view::npos)
        return false;
    return is_table_rule(content(rule)) && is_table_row(line);
}

// "2019. was a year" at the begin of a wrapped line is no list, hence only a first item interrupts.
bool MarkdownBlocks::interrupts_paragraph(const Line& line) const {
    if (is_blank(line)) return true;
    const char c = text_[line.first];
    if (is_ascii_digit(c)) {
        const bool is_first = content(line).starts_with("1.") || content(line).starts_with("1)");
        return (is_first && is_list_item(line)) || fence_at(text_, line.begin).mark != 0;
    }
    switch (c) {
        case '#': return heading_level(line) > 0;
        case '>': return true;
        case '-':
        case '*':
        case '+': return is_list_item(line) || fence_at(text_, line.begin).mark != 0;
        case '`':
        case '~': return fence_at(text_, line.begin).mark != 0;
        case '|': return begins_table(line);
        default: return false;
    }
}

// === or --- below a line makes it a heading.
int MarkdownBlocks::underline_level(const Line& line) const {
    std::string_view text = content(line);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    if (text.size() < 2 || line.indent >= code_indent) return 0;
    if (text.find_first_not_of('=') == std::string_view::npos) return 1;
    return text.find_first_not_of('-') == std::string_view::npos ? 2 : 0;
}

std::optional<Block> MarkdownBlocks::next() {
    Line line = line_at(at_);
    while (is_blank(line) && line.end < text_.size()) line = line_behind(line);
    if (is_blank(line)) return std::nullopt;
    Block block = read_block(line);
    const bool is_item = block.kind == BlockKind::list_item;
    in_list_ = is_item || (in_list_ && line.indent > 0);
    block.is_in_item = in_list_ && !is_item;
    return block;
}

Block MarkdownBlocks::read_block(const Line& line) {
    if (const Fence fence = fence_at(text_, line.begin); fence.mark != 0) return read_fenced(line, fence);
    if (const int level = heading_level(line); level > 0)
        return ended({.kind = BlockKind::heading, .begin = line.begin, .level = level}, line);
    if (is_list_item(line)) return read_text(line, BlockKind::list_item);
    if (line.indent >= code_indent && !in_list_) return read_indented(line);
    if (begins_table(line)) return read_table(line);
    if (text_[line.first] == '>') return read_text(line, BlockKind::quote);
    return read_text(line, text_[line.first] == '<' ? BlockKind::html : BlockKind::paragraph);
}

Block MarkdownBlocks::ended(Block block, const Line& last) {
    block.end = last.end;
    at_ = last.end;
    return block;
}

Block MarkdownBlocks::read_fenced(const Line& first, const Fence& fence) {
    Block block{
        .kind = BlockKind::fenced_code, .begin = first.begin, .info_begin = fence.marks_end, .fence = fence};
    block.body_begin = std::min(first.end + 1, text_.size());
    Line last = first;
    while (last.end < text_.size()) {
        last = line_behind(last);
        if (!closes_fence(text_, last.begin, fence)) continue;
        block.body_end = last.begin;
        return ended(block, last);
    }
    block.body_end = text_.size();
    block.is_closed = false;
    return ended(block, last);
}

Block MarkdownBlocks::read_table(const Line& first) {
    Line last = line_behind(first);
    Block block{
        .kind = BlockKind::table, .begin = first.begin, .body_begin = std::min(last.end + 1, text_.size())};
    while (last.end < text_.size()) {
        const Line row = line_behind(last);
        if (is_blank(row) || !is_table_row(row) || fence_at(text_, row.begin).mark != 0) break;
        last = row;
    }
    block.body_end = last.end;
    return ended(block, last);
}

Block MarkdownBlocks::read_indented(const Line& first) {
    Line last = first;
    for (Line line = first; line.end < text_.size();) {
        line = line_behind(line);
        if (is_blank(line)) continue;
        if (line.indent < code_indent || fence_at(text_, line.begin).mark != 0) break;
        last = line;
    }
    return ended({.kind = BlockKind::indented_code, .begin = first.begin}, last);
}

Block MarkdownBlocks::read_text(const Line& first, BlockKind kind) {
    Block block{.kind = kind, .begin = first.begin};
    Line last = first;
    while (last.end < text_.size()) {
        const Line line = line_behind(last);
        if (kind == BlockKind::quote && !is_blank(line) && text_[line.first] == '>') {
            if (fence_at(text_, line.begin).mark != 0) break;
            last = line;
            continue;
        }
        const int level =
            kind == BlockKind::paragraph && last.begin == first.begin ? underline_level(line) : 0;
        if (level > 0) {
            block.kind = BlockKind::heading;
            block.level = level;
            return ended(block, line);
        }
        if (interrupts_paragraph(line) || (kind == BlockKind::list_item && is_list_item(line))) break;
        last = line;
    }
    return ended(block, last);
}

}  // namespace quarry::text
