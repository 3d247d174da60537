#include "api/admission.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/gate.h"
#include "api/server/reply.h"
#include "base/ascii.h"
#include "model/collection.h"

namespace quarry::api {
namespace {

// Clients that have no key send these all the same.
std::string_view if_token(std::string_view text) {
    return text == "undefined" || text == "null" ? std::string_view() : text;
}

// It comes from somewhere else, through a proxy. Anybody can say so, but only to have less.
bool is_forwarded(const Request& request) {
    constexpr std::string_view names[] = {"x-forwarded-for", "forwarded", "x-real-ip", "via"};
    return std::ranges::any_of(names, [&](std::string_view name) { return !request.header(name).empty(); });
}

// "for=192.0.2.60;proto=http" or "192.0.2.60": the address in it, without a port. "" if there is none.
std::string_view address_in(std::string_view hop) {
    hop = trimmed(hop);
    if (const std::size_t at = lower_case(hop).find("for="); at != std::string::npos)
        hop.remove_prefix(at + 4);
    hop = trimmed(hop.substr(0, hop.find(';')));
    if (hop.starts_with('"')) hop = hop.substr(1, hop.find('"', 1) - 1);
    if (hop.starts_with('[')) return hop.substr(1, hop.find(']') - 1);
    const bool has_port = std::ranges::count(hop, ':') == 1;
    return has_port ? hop.substr(0, hop.find(':')) : hop;
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

bool Admission::needs_keys_read(const Request& request) const {
    return keyring_.is_stale() || (keyring_.is_empty() && !token_of(request).empty());
}

std::expected<std::string, Response> Admission::admit(const Request& request, Access access) {
    if (access == Access::open) return std::string(nobody);
    auto owner = identify(request);
    if (!owner) return owner;
    if (access == Access::operator_only && *owner != local_owner)
        return std::unexpected(
            reply_error(403, "FORBIDDEN", "this is about all owners, and shown to the machine's own"));
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
    const bool needs_key_here =
        rules_.need_here == KeyNeed::always || (rules_.need_here == KeyNeed::if_there_are_keys && has_keys);
    if (rules_.needs_key || needs_key_here)
        return std::unexpected(unauthorized("Unauthorized: Token missing"));
    if (is_forwarded(request) || is_trusted_proxy(request.peer))
        return std::unexpected(unauthorized(
            "Unauthorized: who comes through a proxy needs a key. quarry keys create makes one"));
    const bool is_welcome = is_welcome_origin(request.header("origin"));
    if (auto refusal = refusal_of_stranger(request, is_welcome)) return std::unexpected(reply(*refusal));
    return std::string(local_owner);
}

bool Admission::is_trusted_proxy(std::string_view address) const {
    const auto parsed = net::Address::parse(address);
    return parsed && std::ranges::any_of(rules_.trusted_proxies, [&](const net::Network& network) {
               return network.contains(*parsed);
           });
}

// Each proxy adds at the end who was connected to it: what stands before a name that nobody vouches for is
// anybody's invention.
std::string Admission::client_of(const Request& request) const {
    if (!is_trusted_proxy(request.peer)) return request.peer;
    std::string_view hops = request.header("forwarded");
    if (hops.empty()) hops = request.header("x-forwarded-for");
    std::string client = request.peer;
    while (!hops.empty()) {
        const std::size_t comma = hops.rfind(',');
        const std::string_view address =
            address_in(comma == std::string_view::npos ? hops : hops.substr(comma + 1));
        if (!net::Address::parse(address)) return client;
        client = address;
        if (!is_trusted_proxy(client) || comma == std::string_view::npos) return client;
        hops = hops.substr(0, comma);
    }
    return client;
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
