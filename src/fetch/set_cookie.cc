#include "fetch/set_cookie.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "fetch/http_date.h"
#include "net/header_text.h"

namespace quarry::fetch {

namespace {

using net::lower_case;
using net::take_until;
using net::trimmed;

constexpr std::size_t most_bytes = 4096;            // of name and value together
constexpr std::size_t most_attribute_bytes = 1024;  // longer ones are ignored

bool is_control(char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u < 0x20 && c != '\t') || u == 0x7f;
}

std::optional<std::chrono::seconds> parse_max_age(std::string_view value) {
    const bool is_negative = value.starts_with('-');
    const std::string_view digits = value.substr(is_negative ? 1 : 0);
    if (!net::is_all_digits(digits)) return std::nullopt;
    if (is_negative) return std::chrono::seconds(0);
    constexpr std::int64_t most = 400 * 24 * 3600;  // RFC 6265bis caps the life of a cookie at 400 days.
    std::int64_t seconds = most;
    std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    return std::chrono::seconds(std::min(seconds, most));
}

void apply_attribute(SetCookie& cookie, std::string_view part) {
    const std::string name = lower_case(trimmed(take_until(part, '=')));
    const std::string_view value = trimmed(part);
    if (value.size() > most_attribute_bytes) return;
    if (name == "secure") cookie.is_secure = true;
    if (name == "path") cookie.path = value.starts_with('/') ? std::string(value) : std::string();
    if (name == "domain") cookie.domain = lower_case(value.starts_with('.') ? value.substr(1) : value);
    if (name == "max-age") {
        if (const auto age = parse_max_age(value)) cookie.max_age = age;
    }
    if (name == "expires") {
        if (const auto date = parse_http_date(value)) cookie.expires = date;
    }
}

}  // namespace

std::optional<SetCookie> parse_set_cookie(std::string_view header) {
    if (std::ranges::any_of(header, is_control)) return std::nullopt;
    const std::string_view pair = take_until(header, ';');
    const auto equals = pair.find('=');
    if (equals == pair.npos) return std::nullopt;
    SetCookie cookie{.name = std::string(trimmed(pair.substr(0, equals))),
                     .value = std::string(trimmed(pair.substr(equals + 1)))};
    if (cookie.name.empty() || cookie.name.size() + cookie.value.size() > most_bytes) return std::nullopt;
    while (!header.empty()) apply_attribute(cookie, take_until(header, ';'));
    return cookie;
}

}  // namespace quarry::fetch
