// Code blocks.
#include <algorithm>

#include "extract/markdown/markdown_code_language.h"
#include "extract/markdown/markdown_code_text.h"
#include "extract/markdown/escape.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::NodeId;

namespace {

std::size_t fence_length(std::string_view code) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : code) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest + 1;
}

// An editor in the page has buttons and labels around the code.
NodeId code_inside(const html::Tree& tree, NodeId id) {
    const NodeId end = std::min(tree[id].end, id + 80);
    for (NodeId inside = id + 1; inside < end; ++inside) {
        if (tree.is_element(inside) &&
            (tree.has_class(inside, "cm-content") || tree.has_class(inside, "CodeMirror-code")))
            return inside;
    }
    return id;
}

}  // namespace

void Writer::code_block(NodeId id) {
    leave_heading();
    block_edge();
    code_.clear();
    const bool has_markup = append_code_text(tree_, selection_, code_inside(tree_, id), code_);
    // Highlighters and editors leave empty boxes behind; an author's empty block stays.
    if (is_blank_text(code_) && has_markup) return;
    if (place_ == Place::cell) {
        code_in_cell();
        return;
    }
    const std::string fence(fence_length(code_), '`');
    begin_block(Block::code);
    out_.write(fence);
    out_.write(code_language(tree_, id));
    if (!code_.empty()) {
        out_.next_line();
        out_.write_lines(code_);
    }
    out_.next_line();
    out_.write(fence);
}

// In a table's cell every line is a code span.
void Writer::code_in_cell() {
    std::string_view rest = code_;
    while (!rest.empty()) {
        const std::size_t newline = std::min(rest.find('\n'), rest.size());
        run_.code(rest.substr(0, newline));
        block_edge();
        rest.remove_prefix(std::min(newline + 1, rest.size()));
    }
}

}  // namespace quarry::extract::markdown
