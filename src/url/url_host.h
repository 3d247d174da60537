// The host parser of the URL standard (section 3.5).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::url {

enum class HostRules {
    domain,  // special schemes: a domain or an IP address
    opaque,  // other schemes: an IPv6 address, or text that is only checked and encoded
};

// Appends the serialised host to `out`: lower case, punycode, canonical addresses, IPv6 in brackets. `input`
// is valid UTF-8 and not empty under HostRules::domain. On failure `out` may have been partly written.
Result<void> append_host(std::string_view input, HostRules rules, std::string& out);

}  // namespace quarry::url
