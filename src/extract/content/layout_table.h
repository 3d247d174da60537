// Tables that hold data are written in rows; tables that only place things on the page are not tables to a
// reader.
#pragma once

#include <vector>

#include "html/tree.h"

namespace quarry::extract {

// For every node: true if it is a <table> used for layout, because it holds another table, headings, lists,
// code or more than one paragraph in a cell. Linear.
std::vector<bool> find_layout_tables(const html::Tree& tree);

}  // namespace quarry::extract
