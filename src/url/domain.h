// Which hosts belong together: the public suffix list, through libpsl and the data built into it.
#pragma once

#include <string_view>

namespace quarry::url {

// The part of a host that somebody registered: "example.co.uk" of "www.example.co.uk". "" if the host is an
// IP address, a public suffix itself, or has no dot. `host` is as Url::host() gives it (lower case,
// punycode); the answer is a view into it, without a trailing dot.
std::string_view registrable_domain(std::string_view host);

// Whether everyone may register names below this host: "com", "co.uk", "github.io". False for IP addresses
// and "".
bool is_public_suffix(std::string_view host);

// Whether a host is an IPv4 or IPv6 address, as Url::host() writes them.
bool is_ip_address(std::string_view host);

}  // namespace quarry::url
