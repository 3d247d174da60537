// Which encoding an XML document is in, and its text in UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::text {

// The encoding's name in upper case: by byte order mark, by the shape of the first '<', by declaration, else
// UTF-8.
std::string xml_encoding(std::string_view bytes);

// Converts to UTF-8, up to `limit` bytes of it; what is invalid becomes U+FFFD. Fails with `unsupported` if
// ICU does not know the encoding.
Result<std::string> xml_to_utf8(std::string_view bytes, const std::string& encoding, std::size_t limit);

}  // namespace quarry::text
