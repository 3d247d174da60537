// IP addresses and networks as values, so that what may be connected to is decided on bytes, never on
// spelling.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// IP addresses and networks as values, so that what may be connected to is decided on bytes, never on
// spelling.

struct sockaddr;

namespace quarry::net {

// An IPv4 address (the first 4 bytes) or an IPv6 address (all 16), in network order.
class Address {
public:
    // Reads "127.0.0.1" or "::1", also "[::1]" as URLs write it. Strict: no octal, no short forms. A URL's
    // host is already normalised by url::Url; what reaches a socket comes through from_sockaddr.
    static std::optional<Address> parse(std::string_view text);
    static std::optional<Address> from_sockaddr(const sockaddr* address);
    static Address v4(const std::uint8_t* bytes);

    bool is_v4() const { return is_v4_; }
    int bits() const { return is_v4_ ? 32 : 128; }
    const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
    std::string text() const;

    friend bool operator==(const Address&, const Address&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
    bool is_v4_ = true;
};

// A range of addresses written as 10.0.0.0/8. A single address is the range that holds only itself.
class Network {
public:
    // Fails with `invalid_argument` and a sentence that says what is wrong with it.
    static Result<Network> parse(std::string_view text);

    bool contains(const Address& address) const;
    std::string text() const;

private:
    Address first_;
    int prefix_bits_ = 0;
};

// Which addresses lead back to the machine that asks.

// 127.0.0.0/8 and ::1.
bool is_loopback(const Address& address);

}  // namespace quarry::net
