// The blocks of a markdown text in order: headings, paragraphs, list items, tables, code. Just enough of
// CommonMark to know where a reader sees one thing end and another begin; it never fails and reads every
// line once or twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "text/markdown/marks.h"

namespace quarry::text {

enum class BlockKind {
    heading,
    paragraph,
    list_item,  // one item, without the blocks behind its first paragraph
    quote,
    table,
    fenced_code,
    indented_code,
    html,
};

struct Block {
    BlockKind kind = BlockKind::paragraph;
    std::size_t begin = 0, end = 0;  // from its first line's begin; the last line's end is not included
    int level = 0;                   // of a heading
    bool is_in_item = false;         // behind the first paragraph of a list item, and part of it
    // Of fenced code: the first line without its info string is [begin, info_begin), the code is [body_begin,
    // body_end). Of a table: the rows below the header are.
    std::size_t info_begin = 0, body_begin = 0, body_end = 0;
    Fence fence{};
    bool is_closed = true;  // false for fenced code that the text's end cuts off
};

class MarkdownBlocks {
public:
    explicit MarkdownBlocks(std::string_view text) : text_(text) {}

    std::optional<Block> next();

private:
    struct Line {
        std::size_t begin = 0, end = 0;  // without the line's end
        std::size_t first = 0;           // its first character that is no space; `end` in a blank line
        std::size_t indent = 0;          // in columns
    };

    Line line_at(std::size_t begin) const;
    Line line_behind(const Line& line) const {
        return line_at(line.end < text_.size() ? line.end + 1 : text_.size());
    }
    bool is_blank(const Line& line) const { return line.first == line.end; }
    std::string_view content(const Line& line) const {
        return text_.substr(line.first, line.end - line.first);
    }

    int heading_level(const Line& line) const;
    bool is_list_item(const Line& line) const;
    bool is_table_row(const Line& line) const;
    bool begins_table(const Line& line) const;
    bool interrupts_paragraph(const Line& line) const;
    int underline_level(const Line& line) const;

    Block read_block(const Line& line);
    Block read_fenced(const Line& first, const Fence& fence);
    Block read_table(const Line& first);
    Block read_indented(const Line& first);
    Block read_text(const Line& first, BlockKind kind);
    Block ended(Block block, const Line& last);

    std::string_view text_;
    std::size_t at_ = 0;
    bool in_list_ = false;  // where deep indentation is no code
};

}  // namespace quarry::text
