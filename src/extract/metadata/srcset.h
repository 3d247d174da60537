// The srcset attribute: one picture in several sizes.
#pragma once

#include <string_view>

namespace quarry::extract {

// The URL of the candidate with the most pixels ("640w" or "2x"; none counts as 1x), as written; "" if there
// is none. Follows the HTML standard in where a URL ends: commas belong to it unless they are its last
// characters.
std::string_view best_source(std::string_view srcset);

}  // namespace quarry::extract
