// The parser proper, behind Url::parse.
#pragma once

#include <string_view>

#include "url/url.h"

namespace quarry::url {

// Parses `input`, which is valid UTF-8 without tabs, line ends and edge spaces. The error says what is wrong
// but not with which URL.
Result<Url> parse_clean(std::string_view input, const Url* base);

}  // namespace quarry::url
