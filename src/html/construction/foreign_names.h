// Names of svg and math that are not in lower case or carry a namespace: the tokenizer lower-cases
// everything, the tree has them as their own standards spell them.
#pragma once

#include <string_view>

#include "html/tree.h"

namespace quarry::html {

// The svg element's name as svg spells it, or "" if it is the name itself.
std::string_view svg_tag_name(std::string_view lower);

struct ForeignAttribute {
    std::string_view name{};  // without the prefix; "" if nothing is to be changed
    AttributeNamespace space = AttributeNamespace::none;
};
ForeignAttribute foreign_attribute(std::string_view lower, Namespace element_space);

}  // namespace quarry::html
