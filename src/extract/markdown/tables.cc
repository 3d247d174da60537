#include "extract/markdown/tables.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/ascii.h"
#include "extract/markdown/writer.h"

namespace quarry::extract::markdown {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr html::TagSet row_groups{Tag::thead, Tag::tbody, Tag::tfoot};

bool is_cell(const Tree& tree, NodeId id) {
    return tree.is(id, Tag::td) || tree.is(id, Tag::th);
}

std::uint32_t span(const Tree& tree, NodeId cell, Attr name) {
    const std::string_view text = tree.attribute_or_empty(cell, name);
    std::uint32_t value = 1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::clamp<std::uint32_t>(value, 1, 1000);
}

Alignment parse_alignment(std::string_view value) {
    value = trimmed(value);
    if (equals_ignore_case(value, "left")) return Alignment::left;
    if (equals_ignore_case(value, "center")) return Alignment::center;
    if (equals_ignore_case(value, "right")) return Alignment::right;
    return Alignment::none;
}

Alignment alignment(const Tree& tree, NodeId cell) {
    if (const auto align = tree.attribute(cell, Attr::align)) return parse_alignment(*align);
    const std::string_view style = tree.attribute_or_empty(cell, Attr::style);
    const std::size_t property = style.find("text-align:");
    if (property == std::string_view::npos) return Alignment::none;
    const std::string_view value = style.substr(property + 11);
    return parse_alignment(value.substr(0, value.find_first_of(";!")));
}

bool is_blank_cell(const Tree& tree, NodeId cell) {
    for (NodeId inside = cell + 1; inside < tree[cell].end; ++inside) {
        if (tree.is_text(inside) && !trimmed(tree[inside].text).empty()) return false;
    }
    return true;
}

// True if all of the cell's text is bold: how pages without <th> mark their header.
bool is_bold_cell(const Tree& tree, NodeId cell) {
    bool bold = false;
    for (NodeId inside = cell + 1; inside < tree[cell].end; ++inside) {
        if (tree.is(inside, Tag::b) || tree.is(inside, Tag::strong)) {
            bold = true;
            inside = tree[inside].end - 1;
        } else if (tree.is_text(inside) && !trimmed(tree[inside].text).empty()) {
            return false;
        }
    }
    return bold;
}

class TableReader {
public:
    TableReader(const Tree& tree, const Selection& selection) : tree_(tree), selection_(selection) {}

    TableRows read(NodeId table) {
        for_each_child(table, [&](NodeId child) {
            if (tree_.is(child, Tag::tr)) add_row(child);
            if (!tree_.is_element(child) || !row_groups.contains(tree_[child].tag)) return;
            for_each_child(child, [&](NodeId row) {
                if (tree_.is(row, Tag::tr)) add_row(row);
            });
        });
        rows_.first_is_header = first_row_ != html::no_node && is_header(first_row_);
        set_alignments();
        return std::move(rows_);
    }

private:
    template <typename Visit>
    void for_each_child(NodeId parent, Visit visit) {
        for (NodeId child = parent + 1; child < tree_[parent].end; child = tree_[child].end) {
            if (selection_.keeps(child)) visit(child);
        }
    }

    void add_row(NodeId row) {
        if (first_row_ == html::no_node) first_row_ = row;
        std::size_t column = 0;
        for_each_child(row, [&](NodeId cell) {
            if (!is_cell(tree_, cell)) return;
            skip_covered(column);
            filler_budget_ += 4;
            add_cell(cell, column);
        });
        skip_covered(column);
        columns_ = std::max(columns_, column);
        rows_.ends.push_back(static_cast<std::uint32_t>(rows_.cells.size()));
    }

    void add_cell(NodeId cell, std::size_t& column) {
        const std::uint32_t rows = span(tree_, cell, Attr::rowspan);
        std::uint32_t columns = span(tree_, cell, Attr::colspan);
        if (columns - 1 > filler_budget_) columns = 1;
        filler_budget_ -= columns - 1;
        if (rows_left_.size() < column + columns) rows_left_.resize(column + columns);
        for (std::uint32_t i = 0; i < columns; ++i) {
            rows_.cells.push_back({.id = i == 0 ? cell : html::no_node});
            rows_left_[column++] = rows - 1;
        }
    }

    // Puts empty cells where cells from rows above reach down.
    void skip_covered(std::size_t& column) {
        while (column < rows_left_.size() && rows_left_[column] > 0 && filler_budget_ > 0) {
            --filler_budget_;
            --rows_left_[column++];
            rows_.cells.push_back({});
        }
    }

    template <typename Test>
    bool all_cells(NodeId row, Test test) {
        bool all = true;
        bool any = false;
        for_each_child(row, [&](NodeId cell) {
            if (!is_cell(tree_, cell)) return;
            any = true;
            all = all && test(cell);
        });
        return any && all;
    }

    bool is_header(NodeId row) {
        const bool all_blank = all_cells(row, [&](NodeId cell) { return is_blank_cell(tree_, cell); });
        if (!all_blank && all_cells(row, [&](NodeId cell) {
                return tree_.is(cell, Tag::th) || is_blank_cell(tree_, cell);
            }))
            return true;
        if (tree_.is(tree_[row].parent, Tag::thead)) return is_only_row(row) || !all_data(row);
        return rows_.ends.size() > 1 &&
               all_cells(row, [&](NodeId cell) { return is_bold_cell(tree_, cell); });
    }

    bool is_only_row(NodeId row) {
        int rows = 0;
        for_each_child(tree_[row].parent, [&](NodeId child) { rows += tree_.is(child, Tag::tr) ? 1 : 0; });
        return rows == 1;
    }

    bool all_data(NodeId row) {
        return all_cells(row, [&](NodeId cell) { return tree_.is(cell, Tag::td); });
    }

    // A column is aligned as its first cell is.
    void set_alignments() {
        rows_.alignments.assign(columns_, Alignment::none);
        if (rows_.ends.empty()) return;
        for (std::size_t column = 0; column < rows_.ends[0]; ++column) {
            const NodeId cell = rows_.cells[column].id;
            if (cell != html::no_node) rows_.alignments[column] = alignment(tree_, cell);
        }
    }

    const Tree& tree_;
    const Selection& selection_;
    TableRows rows_;
    std::vector<std::uint32_t> rows_left_;  // for each column, how many more rows the cell above covers
    std::size_t columns_ = 0;
    std::uint64_t filler_budget_ = 256;
    NodeId first_row_ = html::no_node;
};

}  // namespace

TableRows read_table(const Tree& tree, const Selection& selection, NodeId table) {
    return TableReader(tree, selection).read(table);
}

// Tables. Those that hold data become tables; those that only lay out a page are unwrapped.

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
