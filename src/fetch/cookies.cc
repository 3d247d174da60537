#include "fetch/cookies.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "fetch/http_time.h"
#include "net/http_message.h"
#include "url/domain.h"

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

namespace {

// Browsers keep more; one fetch needs a handful.
constexpr std::size_t most_cookies = 64;
constexpr std::size_t most_header_bytes = std::size_t{16} * 1024;

// RFC 6265 section 5.1.3.
bool domain_matches(std::string_view host, std::string_view domain) {
    if (host == domain) return true;
    return host.size() > domain.size() && host.ends_with(domain) &&
           host[host.size() - domain.size() - 1] == '.' && !url::is_ip_address(host);
}

// RFC 6265 section 5.1.4.
bool path_matches(std::string_view request_path, std::string_view cookie_path) {
    if (!request_path.starts_with(cookie_path)) return false;
    return request_path.size() == cookie_path.size() || cookie_path.ends_with('/') ||
           request_path[cookie_path.size()] == '/';
}

std::string default_path(const url::Url& url) {
    const std::string_view path = url.path();
    const auto slash = path.rfind('/');
    return slash == 0 || slash == path.npos ? "/" : std::string(path.substr(0, slash));
}

// A name with a prefix promises how the cookie was set (RFC 6265bis section 4.1.3).
bool keeps_promise_of_name(const SetCookie& cookie) {
    if (cookie.name.starts_with("__Host-"))
        return cookie.is_secure && cookie.domain.empty() && cookie.path == "/";
    if (cookie.name.starts_with("__Secure-")) return cookie.is_secure;
    return true;
}

bool may_set(const url::Url& url, const SetCookie& cookie) {
    if (cookie.is_secure && url.scheme() != "https") return false;
    if (!keeps_promise_of_name(cookie)) return false;
    if (cookie.domain.empty() || cookie.domain == url.host()) return true;
    return domain_matches(url.host(), cookie.domain) && !url::is_public_suffix(cookie.domain);
}

bool is_expired(const SetCookie& cookie, std::chrono::sys_seconds now) {
    if (cookie.max_age) return cookie.max_age->count() <= 0;
    return cookie.expires && *cookie.expires <= now;
}

}  // namespace

void CookieJar::store(const url::Url& url, std::string_view set_cookie, std::chrono::sys_seconds now) {
    const auto parsed = parse_set_cookie(set_cookie);
    if (!parsed || !may_set(url, *parsed)) return;
    // A public suffix may set a cookie for itself, but not for everything below it.
    const bool is_host_only = parsed->domain.empty() || url::is_public_suffix(parsed->domain);
    Cookie cookie{.name = parsed->name,
                  .value = parsed->value,
                  .domain = is_host_only ? std::string(url.host()) : parsed->domain,
                  .path = parsed->path.empty() ? default_path(url) : parsed->path,
                  .is_host_only = is_host_only,
                  .is_secure = parsed->is_secure};
    std::erase_if(cookies_, [&](const Cookie& old) {
        return old.name == cookie.name && old.domain == cookie.domain && old.path == cookie.path;
    });
    if (!is_expired(*parsed, now) && cookies_.size() < most_cookies) cookies_.push_back(std::move(cookie));
}

bool CookieJar::is_due(const Cookie& cookie, const url::Url& url) {
    if (cookie.is_secure && url.scheme() != "https") return false;
    if (cookie.is_host_only ? cookie.domain != url.host() : !domain_matches(url.host(), cookie.domain))
        return false;
    return path_matches(url.path(), cookie.path);
}

std::string CookieJar::header_for(const url::Url& url) const {
    std::vector<const Cookie*> due;
    for (const Cookie& cookie : cookies_)
        if (is_due(cookie, url)) due.push_back(&cookie);
    std::ranges::stable_sort(due, std::greater{}, [](const Cookie* cookie) { return cookie->path.size(); });

    std::string header;
    for (const Cookie* cookie : due) {
        if (header.size() + cookie->name.size() + cookie->value.size() > most_header_bytes) break;
        if (!header.empty()) header += "; ";
        header += cookie->name + "=" + cookie->value;
    }
    return header;
}

}  // namespace quarry::fetch
