// Internationalised domain names through ICU (UTS #46), with the settings of the URL standard.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::url {

// The ASCII form of a domain that has non-ASCII characters: mapped, normalised, punycoded.
//
// `domain` is UTF-8; invalid bytes count as U+FFFD, which no domain may contain. Domains over 4096 bytes are
// refused, because punycode takes quadratic time and DNS carries 253 bytes at most.
Result<std::string> domain_to_ascii(std::string_view domain);

// A copy in which every invalid UTF-8 sequence has become U+FFFD, as a browser's decoder would do.
std::string to_valid_utf8(std::string_view text);

}  // namespace quarry::url
