// Values of attributes, for those who want a page's data and not its words.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "html/tree.h"
#include "model/attributes.h"

namespace quarry::extract {

// One entry for each wish, in order; elements without the attribute are left out. Beyond 10,000 values, or
// 4 MB of them, the rest is left out too. `invalid_argument` if a selector cannot be read.
Result<std::vector<AttributeValues>> read_attributes(const html::Tree& tree,
                                                     std::span<const AttributeWish> wishes);

}  // namespace quarry::extract
