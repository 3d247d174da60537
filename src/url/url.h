// URLs as the WHATWG URL standard defines them: what a browser would make of a string is what we make of
// it. Only the normalised form, href(), is ever handed to another library: two parsers that disagree are a
// security hole. parse_page_address reads addresses as people type them. resolve_plain is the quick way for
// the references that most links are, relative and of plain characters: a page of documentation has
// hundreds of them, and each would otherwise cost a full parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::url {

// URLs as the WHATWG URL standard defines them: what a browser would make of a string is what we make of it.
// Only the normalised form, href(), is ever handed to another library: two parsers that disagree are a
// security hole.

// Longer inputs are refused, and so is what would become longer when encoded. Browsers stop at 2 MB; no
// server quarry met takes more than 64 KB.
inline constexpr std::size_t max_url_bytes = 1 << 20;

// A parsed, normalised URL. A value: cheap to move, safe to read from many threads.
class Url {
public:
    // Parses an absolute URL, or resolves a relative one against `base`. Takes UTF-8; invalid bytes become
    // U+FFFD. Linear in the input. Fails with `invalid_argument` (`too_large` over max_url_bytes) and a
    // sentence.
    static Result<Url> parse(std::string_view input, const Url* base = nullptr);

    const std::string& href() const { return href_; }
    std::string_view scheme() const;    // "https", without the colon
    std::string_view username() const;  // percent-encoded
    std::string_view password() const;
    std::string_view host() const;  // as serialised: lower case, punycode, [v6] in brackets; "" if none
    std::optional<std::uint16_t> port() const;         // nothing if it is the scheme's default
    std::string_view path() const;                     // "/a/b", or the opaque path of "mailto:x"
    std::optional<std::string_view> query() const;     // without '?'
    std::optional<std::string_view> fragment() const;  // without '#'

    bool has_host() const;  // "file:///x" has one, which is empty; "mailto:x" has none
    bool has_opaque_path() const;
    bool is_http() const;                  // http or https
    std::uint16_t effective_port() const;  // the port, or the scheme's default, or 0
    std::string origin() const;            // "https://a.example:8443"; "null" for schemes without one
    std::string without_fragment() const;
    std::string without_credentials() const;

    friend bool operator==(const Url& a, const Url& b) { return a.href_ == b.href_; }

private:
    friend class UrlParser;
    std::size_t authority_end() const;  // of the scheme's colon if there is no host

    std::string href_;
    // Offsets into href_, in its order. What each separates is drawn in url.cc.
    std::uint32_t scheme_end_ = 0, username_end_ = 0, host_start_ = 0, host_end_ = 0, path_start_ = 0;
    // Of the '?' and the '#'; the string's size if there is none.
    std::uint32_t query_start_ = 0, fragment_start_ = 0;
    std::int32_t port_ = -1;
    bool opaque_path_ = false;
};

// Addresses of pages as people type them.

// Reads an http(s) URL; "example.com/x" and "localhost:8080" mean http://. A name without a dot is a host
// only if a scheme or a port stands beside it. Fails with `invalid_argument`: "Invalid URL …".
Result<Url> parse_page_address(std::string_view text);

// The URL as it may be shown and stored: without user name and password. What is no URL stays, but for what
// stands where those would be.
std::string without_secrets(std::string_view address);

// The quick way for the references that most links are: relative, of plain characters. A page of
// documentation has hundreds of them, and each would otherwise cost a full parse.

// Puts what Url::parse(reference, &base) would give as href() into `href` and returns true; or returns false
// if that needs the full parser: another scheme or host, characters to encode, dots within the path.
bool resolve_plain(std::string_view reference, const Url& base, std::string& href);

}  // namespace quarry::url
