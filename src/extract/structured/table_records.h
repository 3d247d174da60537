// Tables as records: what the headers name is a field.
#pragma once

#include <vector>

#include "extract/structured/page_data.h"
#include "html/tree.h"

namespace quarry::structured {

// An item for each row below a row of headers, for each column beside a column of headers, and for each
// definition list. Tables without headers, and tables that only place things, name no fields and are left
// out.
std::vector<Item> read_tables(const html::Tree& tree);

}  // namespace quarry::structured
