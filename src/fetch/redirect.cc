#include "fetch/redirect.h"

#include <algorithm>

#include <fmt/format.h>

#include "net/http_message.h"
#include "url/url.h"

namespace quarry::fetch {

namespace {

constexpr std::string_view harmless_names[] = {
    "accept", "accept-language", "cache-control", "dnt", "pragma", "sec-gpc", "user-agent",
};

// Long enough to recognise, short enough for one line.
std::string shortened(std::string_view text) {
    constexpr std::size_t most = 100;
    return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "…";
}

}  // namespace

bool is_redirect(int status, const std::vector<Header>& headers) {
    const bool is_status = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    return is_status && !header_value(headers, "Location").empty();
}

Result<url::Url> redirect_target(const url::Url& from, std::string_view location) {
    const auto target = url::Url::parse(location, &from);
    if (!target)
        return fail(ErrorCode::corrupt, fmt::format("redirected to \"{}\", which is not a URL",
                                                    shortened(url::without_secrets(location))));
    if (!target->is_http())
        return fail(ErrorCode::refused,
                    fmt::format("refused: redirected to a {}: URL, only http and https are followed",
                                target->scheme()));
    std::string text = target->without_credentials();
    if (!target->fragment() && from.fragment()) text += fmt::format("#{}", *from.fragment());
    return url::Url::parse(text);
}

bool is_same_origin(const url::Url& a, const url::Url& b) {
    return a.scheme() == b.scheme() && a.host() == b.host() && a.effective_port() == b.effective_port();
}

std::vector<Header> headers_without_secrets(const std::vector<Header>& headers) {
    std::vector<Header> harmless;
    std::ranges::copy_if(headers, std::back_inserter(harmless), [](const Header& header) {
        return std::ranges::find(harmless_names, net::lower_case(header.name)) != std::end(harmless_names);
    });
    return harmless;
}

void Credentials::add_to(std::vector<Header>& headers, const url::Url& url, std::string_view owner) const {
    if (all_.empty() || !header_value(headers, "Authorization").empty()) return;
    const std::string origin = url.origin();
    const auto is_for = [&](const Credential& one) {
        return one.origin == origin && std::ranges::any_of(one.owners, [&](const std::string& name) {
                   return name == "*" || name == owner;
               });
    };
    const auto found = std::ranges::find_if(all_, is_for);
    if (found != all_.end()) headers.push_back({"Authorization", found->authorization});
}

}  // namespace quarry::fetch
