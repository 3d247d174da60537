// Percent-encoding, with the sets of the URL standard (section 1.3). Each set names the bytes that may not
// stand for themselves in one part of a URL; bytes above 0x7E are in every set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::url {

enum class EncodeSet : std::uint8_t {
    control = 1,        // opaque paths and opaque hosts
    fragment = 2,       //
    query = 4,          // of schemes that are not special
    special_query = 8,  // of http, https, ws, wss, ftp and file
    path = 16,          //
    userinfo = 32,      // user names and passwords
};

// Appends `text` (UTF-8) with every byte of the set as %XX. What is already encoded is left as it is.
void append_encoded(std::string_view text, EncodeSet set, std::string& out);

// Turns each valid %XX into its byte; anything else is copied.
std::string percent_decoded(std::string_view text);

// Appends `text` with its percent-encoding in one form (RFC 3986, 6.2.2): hex digits in upper case, and
// letters, digits, '-', '.', '_' and '~' as themselves. A '%' that begins no escape is copied.
void append_normalised(std::string_view text, std::string& out);

// The value of a hexadecimal digit, or -1.
constexpr int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace quarry::url
