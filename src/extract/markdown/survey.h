// What the writer has to know about a page before it writes the first line, found in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

// What a table holds, nested tables apart.
struct TableFacts {
    html::NodeId id = 0;
    std::uint32_t rows = 0;
    std::uint32_t cells = 0;
    std::uint32_t most_cells_in_row = 0;
    std::uint32_t paragraphs = 0;
    std::uint32_t text_bytes = 0;
    bool has_header = false;  // <th> or <thead>
    bool has_caption = false;
    bool has_code = false;  // <pre>
    bool has_blocks =
        false;  // headings, lists, quotes, rules, forms, tables: what a line of a table cannot hold
    bool empty() const { return text_bytes == 0; }
};

class Survey {
public:
    Survey(const html::Tree& tree, const Selection& selection);

    const TableFacts& table(html::NodeId id) const;
    bool has_math() const { return has_math_; }
    // Links into the page that stand in <sup> or hold one: where references to footnotes are found.
    const std::vector<html::NodeId>& raised_links() const { return raised_links_; }

private:
    void visit(const html::Tree& tree, html::NodeId id);
    TableFacts* innermost() { return open_.empty() ? nullptr : &tables_[open_.back()]; }
    void visit_in_table(const html::Node& node);

    std::vector<TableFacts> tables_;  // in document order
    std::vector<std::uint32_t> open_;
    std::vector<html::NodeId> raised_links_;
    html::NodeId superscript_end_ = 0;
    std::uint32_t cells_in_row_ = 0;
    bool has_math_ = false;
};

}  // namespace quarry::extract::markdown
