// Admission decides who may make a request: it has the keys of the server, the rule for requests without a
// key, and the number of requests that an owner may make a minute.
// Keys are read from the store at short intervals, so a new or revoked key counts within a second.
// A server without keys listens on this machine alone, but web pages in a browser here can reach it, by a
// host name of their own that resolves to this machine (DNS rebinding) or across origins. The headers of
// both kinds of requests show it, and both are refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"
#include "api/server/message.h"
#include "base/guarded.h"
#include "base/result.h"
#include "model/access.h"
#include "net/address.h"
#include "store/reader.h"

namespace quarry::api {

// Limits the requests of an owner per minute. They are spread evenly, and a burst may have as many as ten
// seconds allow.

class RateLimit {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Counts the request and returns nothing if the owner may make it now; else returns how long until it
    // may. Any thread.
    std::optional<std::chrono::milliseconds> wait_of(const std::string& owner, std::int64_t per_minute,
                                                     Time now);

private:
    struct Allowance {
        double requests = 0;
        Time counted_at{};
    };
    Guarded<std::map<std::string, Allowance>> allowances_;  // there are no more than owners with a key
};

// The check of a server that asks for no key. It listens on this machine alone, but web pages in a browser
// on this machine can reach it: by a host name of their own that resolves to this machine (DNS rebinding),
// or across origins. The headers of both kinds of requests show it.

// True for "localhost:3002", "127.0.0.1", "[::1]:3002" and the like, and for nothing that DNS decides.
bool is_this_machine(std::string_view host);

// Why the request is refused; nothing if it is not. The operator may have allowed pages of some origins.
std::optional<Error> refusal_of_stranger(const Request& request, bool is_welcome_origin = false);

// The keys of a server, and the owner of each. They are read from the store at short intervals, so that a new
// or revoked key counts within a second.

KeyHash hash_of_key(std::string_view key);

class Keyring {
public:
    // Whether the keys are old enough to be read again. Any thread.
    bool is_stale() const;
    Result<void> read(store::Reader& reader);
    // How often the keys were read. A caller that depends on them checks again when this number has changed.
    std::uint64_t reads() const;

    // Whether no key was ever made. A server whose only key is revoked still asks for keys.
    bool is_empty() const;
    // Nothing if there is no such key. The time it takes reveals nothing about the existing keys.
    std::optional<std::string> owner_of(std::string_view token) const;
    std::optional<std::int64_t> key_of(std::string_view token) const;
    // The standard limits if none were set for the owner.
    store::OwnerLimits limits(const std::string& owner) const;

private:
    struct Known {
        std::vector<ApiKey> keys{};  // without revoked ones
        bool has_any = false;        // also revoked ones
        std::map<std::string, store::OwnerLimits> limits{};
        std::optional<std::chrono::steady_clock::time_point> read_at{};
        std::uint64_t reads = 0;
    };
    std::optional<ApiKey> find(std::string_view token) const;

    Guarded<Known> known_;
};

// Finds the owner of a request, and decides whether it is admitted: by its key, by where it comes from if it
// has none, and by the owner's limit per minute.

// Whether requests from this machine need a key.
enum class KeyNeed : std::uint8_t {
    if_there_are_keys,  // as soon as anybody has one
    always,
    never  // a client on this machine is the machine's own user, unless it comes through a proxy
};

// The owner of requests to open routes, and of requests that are not admitted yet. Clients without a key
// thereby have a line at the readers and a part of the memory of their own. No real owner has this name.
constexpr std::string_view nobody;

struct AdmissionRules {
    bool needs_key = false;  // other machines can reach the server: every client needs a key
    KeyNeed need_here = KeyNeed::if_there_are_keys;
    std::vector<net::Network> trusted_proxies{};  // the client address that these name is believed
    bool answers_strangers = false;      // no key is asked for: the operator keeps other clients away
    std::vector<std::string> origins{};  // whose pages may call the API from a browser; "*": all
};

class Admission {
public:
    explicit Admission(AdmissionRules rules) : rules_(std::move(rules)) {}

    Keyring& keyring() { return keyring_; }
    const Keyring& keyring() const { return keyring_; }

    // Whether the keys have to be read before the request is admitted. If no key is known yet, a request
    // with a key may carry the first that was ever made, and is not taken for the machine's own user.
    bool needs_keys_read(const Request& request) const;

    // The owner of the request, `nobody` for an open route, or the response that refuses it. Any thread.
    std::expected<std::string, Response> admit(const Request& request, Access access);
    // The same without counting the request.
    std::expected<std::string, Response> identify(const Request& request) const;

    // The address of the client: the peer, or the address that a trusted proxy names.
    std::string client_of(const Request& request) const;
    bool is_trusted_proxy(std::string_view address) const;

    // The headers that tell a browser that the request's origin is allowed; none if it is not.
    std::vector<Header> cors_headers(const Request& request) const;

private:
    bool is_welcome_origin(std::string_view origin) const;

    const AdmissionRules rules_;
    Keyring keyring_;
    RateLimit rate_limit_;
};

// The token of "Bearer …" or "X-Api-Key: …", or the protocol that a WebSocket offers. "" for the placeholders
// that clients without a key send.
std::string_view token_of(const Request& request);

}  // namespace quarry::api
