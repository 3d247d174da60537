// What is wrong with most XML that is not well-formed, put right before the parser sees it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::text {

// The document as UTF-8 that an XML parser has fewer reasons to refuse: without anything before the first
// '<', with "&amp;" for a '&' that begins no reference, spaces for control characters and U+FFFD for invalid
// UTF-8. Fails with `unsupported` if the declared encoding is unknown. At most six times the input, in linear
// time.
Result<std::string> mended_xml(std::string_view bytes);

}  // namespace quarry::text
