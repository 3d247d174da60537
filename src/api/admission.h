// Who asks, and whether they may: the keys of a server, who needs none, and how many requests an owner may
// make a minute.
// Keys are read from the store now and then, so a key that was just made or revoked counts within a second.
// A server without keys listens on this machine alone, but web pages in a browser here can reach it, by a
// name of theirs that leads here (DNS rebinding) or across origins. Both say so in their headers and are
// refused.
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

// How many requests an owner may make a minute: evenly, with as many at once as ten seconds bring.

class RateLimit {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Nothing if the owner may ask now, which is counted; else how long until it may. Any thread.
    std::optional<std::chrono::milliseconds> wait_of(const std::string& owner, std::int64_t per_minute,
                                                     Time now);

private:
    struct Allowance {
        double requests = 0;
        Time counted_at{};
    };
    Guarded<std::map<std::string, Allowance>> allowances_;  // there are no more than owners with a key
};

// Who may ask a server that asks nobody for a key. It listens on this machine alone, but web pages in a
// browser on this machine can reach it: by a name of theirs that leads here (DNS rebinding), or across
// origins. Both say so in their headers.

// True for "localhost:3002", "127.0.0.1", "[::1]:3002" and the like, and for nothing that DNS decides.
bool is_this_machine(std::string_view host);

// Why the request is refused; nothing if it is not. Pages of some origins may have been made welcome.
std::optional<Error> refusal_of_stranger(const Request& request, bool is_welcome_origin = false);

// The keys of a server: whose a token is. Read from the store now and then, so that a key which was just made
// or revoked counts within a second.

KeyHash hash_of_key(std::string_view key);

class Keyring {
public:
    // Whether what it knows is old enough to be read again. Any thread.
    bool is_stale() const;
    Result<void> read(store::Reader& reader);
    // How often it was read: whoever has to know what is different looks again when this is.
    std::uint64_t reads() const;

    // No key was ever made. One that is revoked leaves a server that asks for keys.
    bool is_empty() const;
    // Nothing if there is no such key. The time it takes tells nothing about the keys there are.
    std::optional<std::string> owner_of(std::string_view token) const;
    std::optional<std::int64_t> key_of(std::string_view token) const;
    // The standard ones if nothing else was said.
    store::OwnerLimits limits(const std::string& owner) const;

private:
    struct Known {
        std::vector<ApiKey> keys{};  // none that is revoked
        bool has_any = false;        // also revoked ones
        std::map<std::string, store::OwnerLimits> limits{};
        std::optional<std::chrono::steady_clock::time_point> read_at{};
        std::uint64_t reads = 0;
    };
    std::optional<ApiKey> find(std::string_view token) const;

    Guarded<Known> known_;
};

// Who asks, and whether they may: keys, strangers, and how often.

// Whether requests from this machine need a key.
enum class KeyNeed : std::uint8_t {
    if_there_are_keys,  // as soon as anybody has one
    always,
    never  // whoever is connected from here is the machine's own user, unless it comes through a proxy
};

// Whose it is what anybody may ask, and what nobody has looked at yet: strangers have a line at the readers
// and a part of the memory of their own. No owner has this name.
constexpr std::string_view nobody;

struct AdmissionRules {
    bool needs_key = false;  // others can reach the server: nobody is answered without a key
    KeyNeed need_here = KeyNeed::if_there_are_keys;
    std::vector<net::Network> trusted_proxies{};  // what these say of whom they speak for is believed
    bool answers_strangers = false;      // whoever set it up keeps strangers away, and keys are not asked for
    std::vector<std::string> origins{};  // whose pages may ask from a browser; "*": all
};

class Admission {
public:
    explicit Admission(AdmissionRules rules) : rules_(std::move(rules)) {}

    Keyring& keyring() { return keyring_; }
    const Keyring& keyring() const { return keyring_; }

    // Whether the keys are to be read before it is admitted. Who comes with one, where none is known, may
    // have the first that was ever made: that is not taken for the machine's own user.
    bool needs_keys_read(const Request& request) const;

    // The owner of what is asked for, `nobody` of what is open to all, or what is answered instead. Any
    // thread.
    std::expected<std::string, Response> admit(const Request& request, Access access);
    // The same without counting the request.
    std::expected<std::string, Response> identify(const Request& request) const;

    // The address of who asks: who is connected, or behind a trusted proxy whom that names.
    std::string client_of(const Request& request) const;
    bool is_trusted_proxy(std::string_view address) const;

    // What a browser is told about the request's origin; nothing if it may not ask.
    std::vector<Header> cors_headers(const Request& request) const;

private:
    bool is_welcome_origin(std::string_view origin) const;

    const AdmissionRules rules_;
    Keyring keyring_;
    RateLimit rate_limit_;
};

// "Bearer …", "X-Api-Key: …" or, of a WebSocket, the protocol it offers. "" for what clients send who have no
// key.
std::string_view token_of(const Request& request);

}  // namespace quarry::api
