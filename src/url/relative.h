// The quick way for the references that most links are: relative, of plain characters. A page of
// documentation has hundreds of them, and each would otherwise cost a full parse.
#pragma once

#include <string>
#include <string_view>

#include "url/url.h"

namespace quarry::url {

// Puts what Url::parse(reference, &base) would give as href() into `href` and returns true; or returns false
// if that needs the full parser: another scheme or host, characters to encode, dots within the path.
bool resolve_plain(std::string_view reference, const Url& base, std::string& href);

}  // namespace quarry::url
