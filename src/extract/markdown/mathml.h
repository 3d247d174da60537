// MathML to TeX, for formulas that come without their source.
#pragma once

#include <string>

#include "html/tree.h"

namespace quarry::extract {

// Appends the TeX of a <math> element: the annotation with its source if there is one, else what its elements
// say. Linear; recursive as the tree is.
void append_tex(const html::Tree& tree, html::NodeId math, std::string& out);

}  // namespace quarry::extract
