// The table follows the IANA special-purpose registries for IPv4 and IPv6, plus multicast and the places
// where clouds serve credentials. IPv6 is closed by default: outside 2000::/3 only the NAT64 prefix leads to
// the public internet.
#include "net/address_policy.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace quarry::net {

namespace {

enum class Kind {
    special,   // refused unless private addresses are allowed
    metadata,  // refused unless named: it would hand out credentials
    open,      // judged only by the IPv4 address inside it
};

// Where a transition mechanism hides the IPv4 address that packets are really sent to.
enum class Inside { nothing, at_byte_2, at_byte_12, inverted_at_byte_12 };

struct SpecialRange {
    const char* network;
    const char* description;  // completes "127.0.0.1 is …"
    Kind kind = Kind::special;
    Inside inside = Inside::nothing;
};

// The first match decides, so narrower ranges come first.
constexpr SpecialRange special_ranges[] = {
    {"169.254.169.254/32", "a cloud metadata address", Kind::metadata},
    {"169.254.170.2/32", "a cloud metadata address", Kind::metadata},    // AWS ECS credentials
    {"169.254.170.23/32", "a cloud metadata address", Kind::metadata},   // AWS EKS credentials
    {"100.100.100.200/32", "a cloud metadata address", Kind::metadata},  // Alibaba
    {"192.0.0.192/32", "a cloud metadata address", Kind::metadata},      // Oracle
    {"168.63.129.16/32", "a cloud metadata address", Kind::metadata},    // Azure; looks public, is not
    {"fd00:ec2::254/128", "a cloud metadata address", Kind::metadata},   // AWS
    {"fd00:ec2::23/128", "a cloud metadata address", Kind::metadata},    // AWS EKS credentials
    {"fd20:ce::254/128", "a cloud metadata address", Kind::metadata},    // Google

    {"0.0.0.0/8", "an address of \"this network\""},
    {"10.0.0.0/8", "a private address"},
    {"100.64.0.0/10", "a shared carrier address"},
    {"127.0.0.0/8", "a loopback address"},
    {"169.254.0.0/16", "a link-local address"},
    {"172.16.0.0/12", "a private address"},
    {"192.0.0.0/24", "a protocol-assignment address"},
    {"192.0.2.0/24", "a documentation address"},
    {"192.31.196.0/24", "a special-purpose address"},
    {"192.52.193.0/24", "a special-purpose address"},
    {"192.88.99.0/24", "a 6to4 relay address"},
    {"192.168.0.0/16", "a private address"},
    {"192.175.48.0/24", "a special-purpose address"},
    {"198.18.0.0/15", "a benchmarking address"},
    {"198.51.100.0/24", "a documentation address"},
    {"203.0.113.0/24", "a documentation address"},
    {"224.0.0.0/4", "a multicast address"},
    {"255.255.255.255/32", "the broadcast address"},
    {"240.0.0.0/4", "a reserved address"},

    {"::/128", "the unspecified address"},
    {"::1/128", "a loopback address"},
    {"::ffff:0:0/96", "an IPv4-mapped address", Kind::special, Inside::at_byte_12},
    {"::/96", "an IPv4-compatible address", Kind::special, Inside::at_byte_12},
    {"64:ff9b::/96", "a NAT64 address", Kind::open, Inside::at_byte_12},
    {"64:ff9b:1::/48", "a local NAT64 address", Kind::special, Inside::at_byte_12},
    {"100::/64", "a discard-only address"},
    {"2001::/32", "a Teredo address", Kind::special, Inside::inverted_at_byte_12},
    {"2001::/23", "a protocol-assignment address"},
    {"2001:db8::/32", "a documentation address"},
    {"2002::/16", "a 6to4 address", Kind::special, Inside::at_byte_2},
    {"2620:4f:8000::/48", "a special-purpose address"},
    {"3fff::/20", "a documentation address"},
    {"fc00::/7", "a private address"},
    {"fe80::/10", "a link-local address"},
    {"fec0::/10", "a site-local address"},
    {"ff00::/8", "a multicast address"},
};

struct ParsedRange {
    Network network;
    const SpecialRange* range;
};

const std::vector<ParsedRange>& parsed_ranges() {
    static const std::vector<ParsedRange> ranges = [] {
        std::vector<ParsedRange> parsed;
        for (const SpecialRange& range : special_ranges)
            parsed.push_back({Network::parse(range.network).value(), &range});
        return parsed;
    }();
    return ranges;
}

constexpr SpecialRange public_range = {"::/0", "a public address", Kind::open};
constexpr SpecialRange unassigned_range = {"::/0", "not a public address"};
constexpr SpecialRange isatap_range = {"::/0", "an ISATAP address", Kind::open, Inside::at_byte_12};

// ISATAP puts 00-00-5e-fe or 02-00-5e-fe and an IPv4 address into the lower half, under any prefix.
bool is_isatap(const Address& address) {
    const auto& bytes = address.bytes();
    return (bytes[8] & ~0x02) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

const SpecialRange& range_of(const Address& address) {
    for (const ParsedRange& parsed : parsed_ranges())
        if (parsed.network.contains(address)) return *parsed.range;
    if (address.is_v4()) return public_range;
    const bool is_global_unicast = (address.bytes()[0] & 0xe0) == 0x20;  // 2000::/3
    if (!is_global_unicast) return unassigned_range;
    return is_isatap(address) ? isatap_range : public_range;
}

std::optional<Address> v4_inside(const Address& address, Inside inside) {
    if (inside == Inside::nothing) return std::nullopt;
    const std::size_t offset = inside == Inside::at_byte_2 ? 2 : 12;
    const std::uint8_t mask = inside == Inside::inverted_at_byte_12 ? 0xff : 0;
    std::uint8_t bytes[4];
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = address.bytes()[offset + i] ^ mask;
    return Address::v4(bytes);
}

// Naming an IPv4 network also allows two IPv6 forms of it: the kernel unmaps one, a NAT64 gateway translates
// the other. The remaining forms go through a relay that nobody named.
bool leads_exactly_there(const SpecialRange& range) {
    const std::string_view network = range.network;
    return network == "::ffff:0:0/96" || network == "64:ff9b::/96";
}

Error refusal(const Address& address, std::string_view what, Kind kind) {
    const std::string text = address.text();
    const std::string advice =
        kind == Kind::metadata ? fmt::format("--allow-network {}", text) : std::string("--allow-private");
    return {ErrorCode::refused, fmt::format("refused: {} is {} (allow it with {})", text, what, advice)};
}

}  // namespace

Result<void> AddressPolicy::check(const Address& address) const {
    const auto is_named = [&](const Address& candidate) {
        return std::ranges::any_of(allowed_networks, [&](const Network& n) { return n.contains(candidate); });
    };
    const auto is_refused = [&](Kind kind) {
        return kind == Kind::metadata || (kind == Kind::special && !allow_private);
    };
    if (is_named(address)) return {};

    const SpecialRange& outer = range_of(address);
    const auto inside = v4_inside(address, outer.inside);
    if (inside) {
        if (leads_exactly_there(outer) && is_named(*inside)) return {};
        const SpecialRange& inner = range_of(*inside);
        if (is_refused(inner.kind))
            return std::unexpected(refusal(
                address, fmt::format("{} of {}, {}", outer.description, inside->text(), inner.description),
                inner.kind));
    }
    if (is_refused(outer.kind)) return std::unexpected(refusal(address, outer.description, outer.kind));
    return {};
}

Result<void> AddressPolicy::check_host(std::string_view host) const {
    const auto address = Address::parse(host);
    return address ? check(*address) : Result<void>{};
}

}  // namespace quarry::net
