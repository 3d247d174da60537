#include "api/admission.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "api/server/message.h"
#include "base/ascii.h"
#include "base/sha256.h"
#include "model/collection.h"
#include "url/url.h"

namespace quarry::api {

std::optional<std::chrono::milliseconds> RateLimit::wait_of(const std::string& owner, std::int64_t per_minute,
                                                            Time now) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    if (per_minute <= 0) return std::nullopt;
    const double per_millisecond = static_cast<double>(per_minute) / 60'000;
    const double most = std::max(1.0, static_cast<double>(per_minute) / 6);
    return allowances_.with([&](auto& allowances) -> std::optional<std::chrono::milliseconds> {
        const auto [entry, is_new] = allowances.try_emplace(owner, Allowance{most, now});
        Allowance& left = entry->second;
        const double passed = Milliseconds(std::max(now, left.counted_at) - left.counted_at).count();
        left.requests = std::min(most, left.requests + passed * per_millisecond);
        left.counted_at = std::max(now, left.counted_at);
        if (left.requests < 1) {
            const double wait = std::ceil((1 - left.requests) / per_millisecond);
            return std::chrono::milliseconds(static_cast<std::int64_t>(wait));
        }
        left.requests -= 1;
        return std::nullopt;
    });
}

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

namespace {

constexpr std::chrono::seconds fresh_for{1};

// Looks at every byte, however early the two differ.
bool is_same(const KeyHash& a, const KeyHash& b) {
    unsigned difference = 0;
    for (std::size_t index = 0; index < a.size(); ++index)
        difference |= static_cast<unsigned>(a[index] ^ b[index]);
    return difference == 0;
}

}  // namespace

KeyHash hash_of_key(std::string_view key) {
    return sha256(key);
}

bool Keyring::is_stale() const {
    return known_.with([](const Known& known) {
        return !known.read_at || std::chrono::steady_clock::now() - *known.read_at >= fresh_for;
    });
}

Result<void> Keyring::read(store::Reader& reader) {
    Known fresh;
    for (ApiKey& key : TRY(reader.keys())) {
        fresh.has_any = true;
        if (!key.revoked_at) fresh.keys.push_back(std::move(key));
    }
    fresh.limits[std::string(local_owner)];
    for (const ApiKey& key : fresh.keys) fresh.limits[key.owner];
    for (auto& [owner, limits] : fresh.limits) limits = TRY(reader.limits(owner)).value_or(limits);
    // Its age counts from here: however long the reading took, those who waited for it find it fresh.
    fresh.read_at = std::chrono::steady_clock::now();
    known_.with([&](Known& known) {
        fresh.reads = known.reads + 1;
        known = std::move(fresh);
    });
    return {};
}

std::uint64_t Keyring::reads() const {
    return known_.with([](const Known& known) { return known.reads; });
}

bool Keyring::is_empty() const {
    return known_.with([](const Known& known) { return !known.has_any; });
}

std::optional<ApiKey> Keyring::find(std::string_view token) const {
    const KeyHash hash = hash_of_key(token);
    return known_.with([&](const Known& known) {
        std::optional<ApiKey> found;
        for (const ApiKey& key : known.keys)
            if (is_same(key.hash, hash)) found = key;
        return found;
    });
}

std::optional<std::string> Keyring::owner_of(std::string_view token) const {
    auto key = find(token);
    if (!key) return std::nullopt;
    return std::move(key->owner);
}

std::optional<std::int64_t> Keyring::key_of(std::string_view token) const {
    const auto key = find(token);
    return key ? std::optional(key->id) : std::nullopt;
}

store::OwnerLimits Keyring::limits(const std::string& owner) const {
    return known_.with([&](const Known& known) {
        const auto found = known.limits.find(owner);
        return found == known.limits.end() ? store::OwnerLimits{} : found->second;
    });
}

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
