// The parser proper, behind Url::parse, and the schemes that the URL standard treats as special: they have
// a host, backslashes count as slashes, and most have a default port.
#pragma once

#include <cstdint>
#include <string_view>

#include "url/url.h"

namespace quarry::url {

// The schemes that the URL standard treats as special: they have a host, backslashes count as slashes, and
// most have a default port.

enum class SchemeKind : std::uint8_t { other, file, network };

struct SchemeTraits {
    SchemeKind kind = SchemeKind::other;
    std::uint16_t default_port = 0;  // 0: none

    constexpr bool is_special() const { return kind != SchemeKind::other; }
};

// `scheme` in lower case, without the colon.
constexpr SchemeTraits traits_of(std::string_view scheme) {
    if (scheme == "https") return {SchemeKind::network, 443};
    if (scheme == "http") return {SchemeKind::network, 80};
    if (scheme == "file") return {SchemeKind::file, 0};
    if (scheme == "wss") return {SchemeKind::network, 443};
    if (scheme == "ws") return {SchemeKind::network, 80};
    if (scheme == "ftp") return {SchemeKind::network, 21};
    return {};
}

// The parser proper, behind Url::parse.

// Parses `input`, which is valid UTF-8 without tabs, line ends and edge spaces. The error says what is wrong
// but not with which URL.
Result<Url> parse_clean(std::string_view input, const Url* base);

}  // namespace quarry::url
