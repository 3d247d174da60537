// IP addresses as values: read from a host as the URL standard says, written back in their one canonical
// form. Everything that judges an address (is it private? is it ours?) works on these bytes, never on a
// spelling.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::url {

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

}  // namespace quarry::url
