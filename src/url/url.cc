// What the offsets separate:
//
//   https://user:pass@example.com:1234/foo/bar?baz#quux
//        |  |   |     |          |    |       |   |
//        |  |   |     host_start |    |       |   fragment_start
//        |  |   username_end     |    |       query_start
//        |  (scheme_end + 3)     |    path_start
//        scheme_end              host_end
//
// Without a host, username_end, host_start and host_end lie right behind the scheme's colon. A path that
// begins with "//" behind no host is written with "/." before it, which belongs to no part: path_start lies
// behind it.
#include "url/url.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/ascii.h"
#include "url/host.h"
#include "url/parser.h"

namespace quarry::url {

namespace {

std::string_view between(const std::string& text, std::size_t from, std::size_t to) {
    return std::string_view(text).substr(from, to - from);
}

}  // namespace

std::string_view Url::scheme() const {
    return between(href_, 0, scheme_end_);
}

std::string_view Url::username() const {
    return has_host() ? between(href_, scheme_end_ + 3, username_end_) : std::string_view{};
}

std::string_view Url::password() const {
    if (username_end_ == host_start_ || href_[username_end_] != ':') return {};
    return between(href_, username_end_ + 1, host_start_ - 1);
}

std::string_view Url::host() const {
    return between(href_, host_start_, host_end_);
}

std::optional<std::uint16_t> Url::port() const {
    if (port_ < 0) return std::nullopt;
    return static_cast<std::uint16_t>(port_);
}

std::string_view Url::path() const {
    return between(href_, path_start_, query_start_);
}

std::optional<std::string_view> Url::query() const {
    if (query_start_ == fragment_start_) return std::nullopt;
    return between(href_, query_start_ + 1, fragment_start_);
}

std::optional<std::string_view> Url::fragment() const {
    if (fragment_start_ == href_.size()) return std::nullopt;
    return between(href_, fragment_start_ + 1, href_.size());
}

bool Url::has_host() const {
    return host_start_ > scheme_end_ + 1;
}

bool Url::has_opaque_path() const {
    return opaque_path_;
}

bool Url::is_http() const {
    return scheme() == "http" || scheme() == "https";
}

std::uint16_t Url::effective_port() const {
    return port().value_or(traits_of(scheme()).default_port);
}

std::string Url::origin() const {
    if (scheme() == "blob") {
        const auto inner = parse(path());
        return inner && inner->is_http() ? inner->origin() : "null";
    }
    if (traits_of(scheme()).kind != SchemeKind::network) return "null";
    std::string origin(scheme());
    origin += "://";
    origin += between(href_, host_start_, path_start_);
    return origin;
}

std::string Url::without_fragment() const {
    return href_.substr(0, fragment_start_);
}

std::string Url::without_credentials() const {
    if (!has_host()) return href_;
    return href_.substr(0, scheme_end_ + 3) + href_.substr(host_start_);
}

std::size_t Url::authority_end() const {
    return has_host() ? path_start_ : scheme_end_ + 1;
}

namespace {

// "localhost:8080" would be a URL of scheme "localhost"; what follows the colon tells that it is a port.
bool lacks_scheme(std::string_view text) {
    const std::size_t end = text.find_first_of(":/?#");
    if (end == std::string_view::npos || text[end] != ':') return true;
    return end + 1 < text.size() && text[end + 1] >= '0' && text[end + 1] <= '9';
}

// "notaurl" is a slip of the hand more often than a host of the own network, which may be named with its
// scheme.
bool names_host(std::string_view text) {
    const std::string_view host = text.substr(0, text.find_first_of("/?#"));
    return host.find_first_of(".:") != std::string_view::npos || equals_ignore_case(host, "localhost");
}

}  // namespace

Result<Url> parse_page_address(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return fail(ErrorCode::invalid_argument, "Invalid URL: it is empty");
    if (lacks_scheme(text) && !names_host(text)) {
        const std::string_view shown = text.substr(0, 100);
        std::string says = fmt::format("Invalid URL \"{}\": it has neither a scheme nor a dot", shown);
        if (text.find_first_of(" \t") == std::string_view::npos)
            says += fmt::format(". Write http://{} if that is a host of your network", shown);
        return fail(ErrorCode::invalid_argument, std::move(says));
    }
    auto url = Url::parse(lacks_scheme(text) ? fmt::format("http://{}", text) : std::string(text));
    if (!url) return url;
    if (!url->is_http()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Invalid URL \"{}\": quarry fetches http and https, not {}",
                                without_secrets(text), url->scheme()));
    }
    return url;
}

std::string without_secrets(std::string_view address) {
    if (const auto url = Url::parse(address)) {
        return url->username().empty() && url->password().empty() ? std::string(address)
                                                                  : url->without_credentials();
    }
    const std::size_t slashes = address.find("//");
    const std::size_t start = slashes == std::string_view::npos ? 0 : slashes + 2;
    const std::size_t at_sign = address.substr(start, address.find_first_of("/?#", start) - start).rfind('@');
    if (at_sign == std::string_view::npos) return std::string(address);
    return fmt::format("{}{}", address.substr(0, start), address.substr(start + at_sign + 1));
}

namespace {

// Characters that stay as they are and mean nothing.
enum Plain : std::uint8_t { in_path = 1, in_query = 2, in_fragment = 4 };

constexpr std::array<std::uint8_t, 256> make_plain() {
    std::array<std::uint8_t, 256> plain{};
    const auto add = [&](std::string_view characters, int parts) {
        for (const char c : characters)
            plain[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(parts);
    };
    add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~/.+,=@!$&()*;",
        in_path | in_query | in_fragment);
    // A colon may end a scheme, a percent sign may encode a dot.
    add(":%?", in_query | in_fragment);
    return plain;
}

constexpr auto plain = make_plain();

bool is_plain(char c, Plain part) {
    return (plain[static_cast<unsigned char>(c)] & part) != 0;
}

std::size_t skip(std::string_view text, std::size_t at, Plain part) {
    while (at < text.size() && is_plain(text[at], part)) ++at;
    return at;
}

// The end of the path, or npos if the reference is not plain.
std::size_t find_path_end(std::string_view reference) {
    const std::size_t path_end = skip(reference, 0, in_path);
    std::size_t at = path_end;
    if (at < reference.size() && reference[at] == '?') at = skip(reference, at + 1, in_query);
    if (at < reference.size() && reference[at] == '#') at = skip(reference, at + 1, in_fragment);
    return at == reference.size() ? path_end : std::string_view::npos;
}

// Segments of dots go up or nowhere; only those at the beginning are dealt with here.
bool has_dot_segment(std::string_view path) {
    return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// Goes up from a folder ("/a/b/") for each "../" and takes it away; the root is above itself.
std::size_t go_up(std::string_view folder, std::size_t path_start, std::string_view& path) {
    std::size_t end = folder.size();
    while (path.starts_with("../") || path.starts_with("./")) {
        const bool is_up = path.starts_with("../");
        path.remove_prefix(is_up ? 3 : 2);
        if (is_up && end > path_start + 1) end = folder.rfind('/', end - 2) + 1;
    }
    return end;
}

}  // namespace

bool resolve_plain(std::string_view reference, const Url& base, std::string& href) {
    constexpr std::size_t longest = 4'096;
    if (reference.empty() || reference.size() + base.href().size() > longest || !base.is_http()) return false;
    const std::size_t path_end = find_path_end(reference);
    if (path_end == std::string_view::npos || reference.starts_with("//")) return false;
    std::string_view path = reference.substr(0, path_end);
    const std::string_view tail = reference.substr(path_end);
    if (path.empty() && !tail.starts_with('#')) return false;

    const std::string_view whole = base.href();
    const auto path_start = static_cast<std::size_t>(base.path().data() - whole.data());
    std::size_t kept = 0;
    if (path.empty()) {
        kept = std::min(whole.find('#'), whole.size());
    } else if (path.starts_with('/')) {
        kept = path_start;
    } else {
        const std::size_t folder_end = path_start + base.path().rfind('/') + 1;
        kept = go_up(whole.substr(0, folder_end), path_start, path);
    }
    if (has_dot_segment(path)) return false;
    href.assign(whole.substr(0, kept));
    href += path;
    href += tail;
    return true;
}

// Url::parse: what happens to the input before it is parsed, and to an error after.

namespace {

std::string_view without_edge_spaces(std::string_view text) {
    const auto is_edge = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
    return text;
}

// Whether any byte is a control character or not ASCII: what an ordinary URL has none of. Eight bytes at a
// time, as every URL passes here: (word - 0x20…) & ~word has the top bit of a byte set if one is below 0x20.
bool needs_cleaning(std::string_view text) {
    constexpr std::uint64_t low_bits = 0x0101010101010101, top_bits = low_bits << 7;
    std::uint64_t found = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        found |= word | ((word - low_bits * 0x20) & ~word);
    }
    bool rest = false;
    for (; at != end; ++at)
        rest |= static_cast<unsigned char>(*at) < 0x20 || static_cast<unsigned char>(*at) >= 0x80;
    return rest || (found & top_bits) != 0;
}

std::string cleaned(std::string_view text) {
    std::string result = to_valid_utf8(text);
    std::erase_if(result, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
    return result;
}

constexpr std::size_t max_shown_bytes = 200;

// The URL as an error message may show it: not too long, and without what may be a password.
std::string shown_form(std::string_view input) {
    std::string shown(input);
    const std::size_t authority = shown.find("//");
    const std::size_t at = shown.rfind('@');
    if (authority != std::string::npos && at != std::string::npos && at > authority) {
        shown.replace(authority + 2, at - authority - 2, "***");
    }
    const bool cut = shown.size() > max_shown_bytes;
    shown = to_valid_utf8(std::string_view(shown).substr(0, max_shown_bytes));
    return cut ? shown + "…" : shown;
}

std::unexpected<Error> too_long() {
    return fail(ErrorCode::too_large, fmt::format("the URL is longer than {} bytes", max_url_bytes));
}

Error explained(Error error, std::string_view input) {
    error.message = fmt::format("Invalid URL \"{}\": {}", shown_form(input), error.message);
    return error;
}

}  // namespace

Result<Url> Url::parse(std::string_view input, const Url* base) {
    if (input.size() > max_url_bytes) return too_long();
    const std::string_view text = without_edge_spaces(input);
    auto result = needs_cleaning(text) ? parse_clean(cleaned(text), base) : parse_clean(text, base);
    if (!result) return std::unexpected(explained(std::move(result).error(), input));
    // Encoding and the base can lengthen it; what is written must always be readable again.
    if (result->href_.size() > max_url_bytes) return too_long();
    return result;
}

}  // namespace quarry::url
