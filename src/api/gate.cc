#include "api/gate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "url/url.h"

namespace quarry::api {
namespace {

// What stands before the port; of an IPv6 address, with its brackets.
std::string_view without_port(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool is_within_brackets = host.ends_with(']');
    return is_within_brackets ? host : host.substr(0, colon);
}

bool is_loopback_address(std::string_view host) {
    const bool is_numeric = std::ranges::all_of(host, [](char c) { return is_ascii_digit(c) || c == '.'; });
    return is_numeric && host.starts_with("127.") && std::ranges::count(host, '.') == 3;
}

}  // namespace

bool is_this_machine(std::string_view host) {
    host = without_port(host);
    return host == "localhost" || host == "[::1]" || is_loopback_address(host);
}

std::optional<Error> refusal_of_stranger(const Request& request, bool is_welcome_origin) {
    const std::string_view host = request.header("host");
    if (!is_this_machine(host))
        return Error{
            ErrorCode::refused,
            fmt::format("this server answers to 127.0.0.1 and localhost, not to \"{}\"", host.substr(0, 80))};
    const std::string_view origin = request.header("origin");
    if (origin.empty() || is_welcome_origin) return std::nullopt;
    const auto url = url::Url::parse(std::string(origin));
    if (url && url->is_http() && is_this_machine(url->host())) return std::nullopt;
    return Error{ErrorCode::refused, "web pages of other sites are not answered"};
}

}  // namespace quarry::api
