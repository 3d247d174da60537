// What is wrong with most XML that is not well-formed, put right before the parser sees it.
#pragma once

#include <string>
#include <string_view>

namespace quarry::text {

// A copy of a document in UTF-8 that an XML parser has fewer reasons to refuse: without anything before its
// start, with "&amp;" for a '&' that begins no reference, spaces for control characters and U+FFFD for
// invalid UTF-8. Linear. At most a megabyte longer than the input: after that many repairs they become
// shorter and cruder.
std::string mended_xml(std::string_view document);

}  // namespace quarry::text
