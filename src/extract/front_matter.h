// The block of facts that static site generators put before the markdown of a page.
#pragma once

#include <string_view>
#include <vector>

#include "model/document.h"

namespace quarry::extract {

struct FrontMatter {
    std::vector<NamedValue> fields{};  // names in lower case; a list's items are joined with ", "
    std::string_view body{};           // the text after the block; all of it if there is none
};

// Reads the block between two lines of `---` (YAML) or `+++` (TOML) at the very start. Of the two languages
// only what such blocks hold is understood: `name: value`, quoted strings, lists, and one level of nesting
// (`author.name`). A block that is not closed, or is larger than any honest one, is text.
FrontMatter read_front_matter(std::string_view text);

}  // namespace quarry::extract
