// The rows of an HTML table as markdown needs them: one header, and every cell in its column although cells
// may span several.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

enum class Alignment : std::uint8_t { none, left, center, right };

struct Cell {
    html::NodeId id = html::no_node;  // no_node: covered by a cell that spans columns or rows
};

struct TableRows {
    std::vector<Cell> cells{};            // of all rows, in order
    std::vector<std::uint32_t> ends{};    // for each row the index one past its last cell
    std::vector<Alignment> alignments{};  // for each column
    bool first_is_header = false;
};

// Spans are followed as long as the empty cells they make stay in proportion to the real ones.
TableRows read_table(const html::Tree& tree, const Selection& selection, html::NodeId table);

}  // namespace quarry::extract::markdown
