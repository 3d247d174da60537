#include "net/address.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::net {

namespace {

constexpr std::size_t longest_address = INET6_ADDRSTRLEN;

// Clears every bit after the first `bits`.
Address first_of(const Address& address, int bits) {
    std::array<std::uint8_t, 16> bytes = address.bytes();
    for (int i = 0; i < address.bits() / 8; ++i) {
        const int kept = std::clamp(bits - i * 8, 0, 8);
        bytes[i] &= static_cast<std::uint8_t>(0xff00 >> kept);
    }
    if (address.is_v4()) return Address::v4(bytes.data());
    sockaddr_in6 socket_address{};
    socket_address.sin6_family = AF_INET6;
    std::ranges::copy(bytes, socket_address.sin6_addr.s6_addr);
    return *Address::from_sockaddr(reinterpret_cast<const sockaddr*>(&socket_address));
}

std::optional<int> parse_prefix(std::string_view text, int most) {
    int bits = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc{} || end != text.data() + text.size() || bits < 0 || bits > most)
        return std::nullopt;
    return bits;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
    // inet_pton wants a terminated string, and would stop at a NUL inside ours.
    if (text.size() >= longest_address || text.find('\0') != text.npos) return std::nullopt;
    const std::string terminated(text);
    Address address;
    address.is_v4_ = text.find(':') == text.npos;
    const int family = address.is_v4_ ? AF_INET : AF_INET6;
    if (inet_pton(family, terminated.c_str(), address.bytes_.data()) != 1) return std::nullopt;
    return address;
}

std::optional<Address> Address::from_sockaddr(const sockaddr* address) {
    Address result;
    if (address->sa_family == AF_INET)
        return v4(
            reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr));
    if (address->sa_family != AF_INET6) return std::nullopt;
    result.is_v4_ = false;
    std::copy_n(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr.s6_addr, 16, result.bytes_.begin());
    return result;
}

Address Address::v4(const std::uint8_t* bytes) {
    Address result;
    std::copy_n(bytes, 4, result.bytes_.begin());
    return result;
}

std::string Address::text() const {
    char buffer[longest_address];
    return inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), buffer, sizeof buffer);
}

Result<Network> Network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = Address::parse(text.substr(0, slash));
    if (!address)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a network: write it like 10.0.0.0/8 or fd00::/8", text));

    Network network;
    network.prefix_bits_ = address->bits();
    if (slash != text.npos) {
        const auto bits = parse_prefix(text.substr(slash + 1), address->bits());
        if (!bits)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" is not a network: after the / comes a number from 0 to {}", text,
                                    address->bits()));
        network.prefix_bits_ = *bits;
    }
    network.first_ = first_of(*address, network.prefix_bits_);
    // 192.168.1.7/24 may mean the host or its whole network; guessing wrong would open more than was meant.
    if (network.first_ != *address)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format(
                "\"{}\" names a host and a network at once: write {} for the network or {} for the host",
                text, network.text(), address->text()));
    return network;
}

bool Network::contains(const Address& address) const {
    return address.is_v4() == first_.is_v4() && first_of(address, prefix_bits_) == first_;
}

std::string Network::text() const {
    return fmt::format("{}/{}", first_.text(), prefix_bits_);
}

bool is_loopback(const Address& address) {
    static const Network v4 = Network::parse("127.0.0.0/8").value();
    static const Network v6 = Network::parse("::1/128").value();
    return v4.contains(address) || v6.contains(address);
}

}  // namespace quarry::net
