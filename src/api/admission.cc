#include "api/admission.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/gate.h"
#include "api/reply.h"
#include "base/ascii.h"
#include "model/owner_id.h"

namespace quarry::api {
namespace {

// Clients that have no key send these all the same.
std::string_view if_token(std::string_view text) {
    return text == "undefined" || text == "null" ? std::string_view() : text;
}

// It comes from somewhere else, through a proxy on this machine.
bool is_forwarded(const Request& request) {
    return !request.header("x-forwarded-for").empty() || !request.header("forwarded").empty();
}

Response unauthorized(std::string_view sentence) {
    Response response = reply_error(401, "UNAUTHORIZED", sentence);
    response.headers.push_back({.name = "WWW-Authenticate", .value = "Bearer"});
    return response;
}

Response too_many_requests(std::chrono::milliseconds wait) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    Response response =
        reply_error(429, "RATE_LIMITED", fmt::format("Rate limit exceeded. Try again in {} s", seconds));
    response.headers.push_back({.name = "Retry-After", .value = std::to_string(seconds)});
    return response;
}

}  // namespace

std::string_view token_of(const Request& request) {
    constexpr std::string_view scheme = "bearer";
    const std::string_view authorization = trimmed(request.header("authorization"));
    if (lower_case(authorization.substr(0, scheme.size())) == scheme)
        return if_token(trimmed(authorization.substr(scheme.size())));
    if (const std::string_view key = trimmed(request.header("x-api-key")); !key.empty()) return if_token(key);
    if (!request.is_upgrade) return {};
    const std::string_view offered = request.header("sec-websocket-protocol");
    return if_token(trimmed(offered.substr(0, offered.find(','))));
}

std::expected<std::string, Response> Admission::admit(const Request& request, Access access) {
    if (access == Access::open) return std::string(local_owner);
    auto owner = identify(request);
    if (!owner) return owner;
    const std::int64_t per_minute = keyring_.limits(*owner).requests_per_minute;
    if (const auto wait = rate_limit_.wait_of(*owner, per_minute, std::chrono::steady_clock::now()))
        return std::unexpected(too_many_requests(*wait));
    return owner;
}

std::expected<std::string, Response> Admission::identify(const Request& request) const {
    const std::string_view token = token_of(request);
    const bool has_keys = !keyring_.is_empty();
    if (has_keys && !token.empty()) {
        if (auto owner = keyring_.owner_of(token)) return *std::move(owner);
        return std::unexpected(unauthorized("Unauthorized: Invalid token"));
    }
    if (rules_.answers_strangers) return std::string(local_owner);
    if (rules_.needs_key || (has_keys && is_forwarded(request)))
        return std::unexpected(unauthorized("Unauthorized: Token missing"));
    const bool is_welcome = is_welcome_origin(request.header("origin"));
    if (auto refusal = refusal_of_stranger(request, is_welcome)) return std::unexpected(reply(*refusal));
    return std::string(local_owner);
}

bool Admission::is_welcome_origin(std::string_view origin) const {
    return std::ranges::any_of(
        rules_.origins, [&](const std::string& welcome) { return welcome == "*" || welcome == origin; });
}

std::vector<Header> Admission::cors_headers(const Request& request) const {
    const std::string_view origin = request.header("origin");
    if (origin.empty() || !is_welcome_origin(origin)) return {};
    return {{.name = "Access-Control-Allow-Origin", .value = std::string(origin)},
            {.name = "Vary", .value = "Origin"},
            {.name = "Access-Control-Expose-Headers", .value = "X-Request-Id, Retry-After"}};
}

}  // namespace quarry::api
