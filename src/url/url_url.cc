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

}  // namespace quarry::url
