// Tables. Those that hold data become tables; those that only lay out a page are unwrapped.
#include <algorithm>

#include "extract/markdown/tables.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

bool is_layout(const Tree& tree, const TableFacts& table) {
    const std::string_view role = tree.attribute_or_empty(table.id, Attr::role);
    if (role == "presentation" || role == "none") return true;
    if (table.has_header || table.has_caption)
        return table.has_blocks && table.text_bytes / (table.cells + 1) > 1500;
    return table.most_cells_in_row <= 1 || table.has_blocks || table.has_code ||
           table.paragraphs > 2 * table.cells || table.text_bytes / (table.cells + 1) > 600;
}

void append_empty_cells(std::string& row, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) row += "  |";
}

void append_delimiter_row(std::string& lines, const std::vector<Alignment>& alignments) {
    lines += "\n|";
    for (const Alignment alignment : alignments) {
        switch (alignment) {
            case Alignment::none: lines += " --- |"; break;
            case Alignment::left: lines += " :--- |"; break;
            case Alignment::center: lines += " :---: |"; break;
            case Alignment::right: lines += " ---: |"; break;
        }
    }
}

// What is still without a backslash would end the cell, even in code.
void escape_pipes(std::string& text, std::size_t from) {
    std::size_t pipes = 0;
    for (std::size_t i = from; i < text.size(); ++i) pipes += text[i] == '|' ? 1 : 0;
    if (pipes == 0) return;
    std::size_t read = text.size();
    text.resize(text.size() + pipes);
    for (std::size_t write = text.size(); read > from;) {
        text[--write] = text[--read];
        if (text[read] == '|') text[--write] = '\\';
    }
}

bool is_blank_row(std::string_view row) {
    return row.find_first_not_of("| \n") == std::string_view::npos;
}

}  // namespace

void Writer::table(NodeId id) {
    leave_heading();
    const TableFacts& facts = survey_.table(id);
    if (place_ == Place::cell) {
        table_in_cell(id);
    } else if (is_layout(tree_, facts)) {
        block(id);
    } else if (!facts.empty()) {
        data_table(id);
    }
}

void Writer::data_table(NodeId id) {
    end_paragraph();
    for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
        if (tree_.is(child, Tag::caption)) node(child);
    }
    const TableRows rows = read_table(tree_, selection_, id);
    std::string lines;
    place_ = Place::cell;
    run_.set_break_style(BreakStyle::tag);
    const bool any = append_rows(rows, lines);
    run_.set_break_style(BreakStyle::hard);
    place_ = Place::blocks;
    if (!any) return;
    begin_block(Block::table);
    out_.write_lines(lines);
}

// False if no cell has anything to show.
bool Writer::append_rows(const TableRows& rows, std::string& lines) {
    bool any = false;
    std::size_t cell = 0;
    std::size_t filler_budget = 2 * rows.cells.size();
    if (!rows.first_is_header) {
        append_empty_cells(lines += '|', rows.alignments.size());
        append_delimiter_row(lines, rows.alignments);
    }
    for (std::size_t i = 0; i < rows.ends.size(); ++i) {
        const std::size_t begin = lines.size();
        const bool is_header = i == 0 && rows.first_is_header;
        std::size_t missing = rows.alignments.size() + cell - rows.ends[i];
        lines += is_header ? "|" : "\n|";
        for (; cell < rows.ends[i]; ++cell) table_cell(rows.cells[cell].id, lines);
        // Readers fill up short rows themselves, except the header.
        if (!is_header) missing = std::min(missing, filler_budget);
        filler_budget -= std::min(missing, filler_budget);
        append_empty_cells(lines, missing);
        const bool blank = is_blank_row(std::string_view(lines).substr(begin));
        any = any || !blank;
        if (is_header) {
            append_delimiter_row(lines, rows.alignments);
        } else if (blank) {
            lines.resize(begin);
        }
    }
    return any;
}

void Writer::table_cell(NodeId id, std::string& row) {
    row += ' ';
    if (id != html::no_node) {
        const std::size_t begin = row.size();
        children(id);
        run_.finish(row);
        escape_pipes(row, begin);
    }
    row += " |";
}

// A table inside a cell: its rows as lines, its cells as words.
void Writer::table_in_cell(NodeId id) {
    block_edge();
    for (NodeId inside = id + 1; inside < tree_[id].end;) {
        const html::Node& node = tree_[inside];
        if (!selection_.keeps(inside)) {
            inside = node.end;
        } else if (tree_.is(inside, Tag::td) || tree_.is(inside, Tag::th) || tree_.is(inside, Tag::caption)) {
            run_.space();
            children(inside);
            run_.space();
            inside = node.end;
        } else {
            if (tree_.is(inside, Tag::tr)) block_edge();
            ++inside;
        }
    }
    block_edge();
}

}  // namespace quarry::extract::markdown
