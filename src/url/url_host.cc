#include "url/url_host.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "url/idna.h"
#include "url/host.h"
#include "url/percent.h"

namespace quarry::url {

namespace {

enum HostByte : std::uint8_t {
    forbidden_in_host = 1,
    forbidden_in_domain = 2,
    needs_work = 4,  // a domain with such a byte is not its own serialisation
};

constexpr std::array<std::uint8_t, 256> build_host_bytes() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned b = 0; b < 256; ++b) {
        if (b <= 0x20 || b == 0x7F) table[b] = forbidden_in_domain | needs_work;
        if (b >= 0x80 || (b >= 'A' && b <= 'Z')) table[b] = needs_work;
    }
    for (const char c : std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17)) {
        table[static_cast<unsigned char>(c)] = forbidden_in_host | forbidden_in_domain | needs_work;
    }
    table['%'] = forbidden_in_domain | needs_work;
    return table;
}

constexpr auto host_bytes = build_host_bytes();

// The union of all bytes' classes: one pass decides which road a host takes.
std::uint8_t classes_of(std::string_view host) {
    std::uint8_t classes = 0;
    for (const char c : host) classes |= host_bytes[static_cast<unsigned char>(c)];
    return classes;
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::unexpected<Error> invalid_host(const char* reason) {
    return fail(ErrorCode::invalid_argument, reason);
}

Result<void> append_ipv6(std::string_view input, std::string& out) {
    if (!input.ends_with(']')) return invalid_host("the host has no closing ']'");
    const auto address = parse_ipv6(input.substr(1, input.size() - 2));
    if (!address) return invalid_host("the host is not an IPv6 address");
    out += '[';
    out += to_string(*address);
    out += ']';
    return {};
}

// The text of `host` is final; what is left is to see whether it is a number in disguise.
Result<void> append_domain_or_ipv4(std::string_view host, std::string& out) {
    if (!ends_in_number(host)) {
        out += host;
        return {};
    }
    const auto address = parse_ipv4(host);
    if (!address) return invalid_host("the host ends in a number but is not an IPv4 address");
    out += to_string(*address);
    return {};
}

// ASCII domains are only lowered, even when a label begins with "xn--" and is not valid punycode: that is
// what the standard settled on, because sites with such names exist (whatwg/url pull request 914).
Result<std::string> to_ascii(std::string decoded) {
    if (!is_ascii(decoded)) return domain_to_ascii(decoded);
    for (char& c : decoded) {
        if (c >= 'A' && c <= 'Z') c |= 0x20;
    }
    return decoded;
}

Result<void> append_domain(std::string_view input, std::string& out) {
    if ((classes_of(input) & needs_work) == 0) return append_domain_or_ipv4(input, out);
    const std::string domain = TRY(to_ascii(percent_decoded(input)));
    if (domain.empty()) return invalid_host("the host is empty");
    if (classes_of(domain) & forbidden_in_domain) return invalid_host("the host has a forbidden character");
    return append_domain_or_ipv4(domain, out);
}

}  // namespace

Result<void> append_host(std::string_view input, HostRules rules, std::string& out) {
    if (input.starts_with('[')) return append_ipv6(input, out);
    if (rules == HostRules::domain) return append_domain(input, out);
    if (classes_of(input) & forbidden_in_host) return invalid_host("the host has a forbidden character");
    append_encoded(input, EncodeSet::control, out);
    return {};
}

}  // namespace quarry::url
