// The host parser of the URL standard (section 3.5), with internationalised domain names through ICU (UTS
// #46). IP addresses are values: read from a host as the standard says, written back in their one canonical
// form. Code that judges an address (is it private? is it ours?) works on these bytes, never on a spelling.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::url {

// IP addresses as values: read from a host as the URL standard says, written back in their one canonical
// form. Everything that judges an address (is it private? is it ours?) works on these bytes, never on a
// spelling.

struct Ipv4 {
    std::uint32_t value = 0;  // 127.0.0.1 is 0x7f000001

    friend auto operator<=>(const Ipv4&, const Ipv4&) = default;
};

struct Ipv6 {
    std::array<std::uint8_t, 16> bytes{};  // network order

    friend auto operator<=>(const Ipv6&, const Ipv6&) = default;
};

// Whether a host's last label is a number. Such a host is an IPv4 address or an error, never a name: that is
// how `http://1.2.3.4.5/` is kept from reaching a resolver with ideas of its own.
bool ends_in_number(std::string_view host);

// Reads every spelling that browsers read: "127.1", "0x7f.1", "017700000001", "2130706433".
std::optional<Ipv4> parse_ipv4(std::string_view host);

// Reads the text between the brackets of "[::1]"; zone ids are refused.
std::optional<Ipv6> parse_ipv6(std::string_view text);

std::string to_string(Ipv4 address);         // "127.0.0.1"
std::string to_string(const Ipv6& address);  // "::1", without brackets, shortened as RFC 5952 says

// Internationalised domain names through ICU (UTS #46), with the settings of the URL standard.

// The ASCII form of a domain that has non-ASCII characters: mapped, normalised, punycoded.
//
// `domain` is UTF-8; invalid bytes count as U+FFFD, which no domain may contain. Domains over 4096 bytes are
// refused, because punycode takes quadratic time and DNS carries 253 bytes at most.
Result<std::string> domain_to_ascii(std::string_view domain);

// A copy in which every invalid UTF-8 sequence has become U+FFFD, as a browser's decoder would do.
std::string to_valid_utf8(std::string_view text);

// The host parser of the URL standard (section 3.5).

enum class HostRules {
    domain,  // special schemes: a domain or an IP address
    opaque,  // other schemes: an IPv6 address, or text that is only checked and encoded
};

// Appends the serialised host to `out`: lower case, punycode, canonical addresses, IPv6 in brackets. `input`
// is valid UTF-8 and not empty under HostRules::domain. On failure `out` may have been partly written.
Result<void> append_host(std::string_view input, HostRules rules, std::string& out);

}  // namespace quarry::url
