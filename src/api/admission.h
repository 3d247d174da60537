// Who asks, and whether they may: keys, strangers, and how often.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "api/keyring.h"
#include "api/server/message.h"
#include "api/rate_limit.h"
#include "api/routes.h"
#include "net/address.h"

namespace quarry::api {

// Whether requests from this machine need a key.
enum class KeyNeed : std::uint8_t {
    if_there_are_keys,  // as soon as anybody has one
    always,
    never  // whoever is connected from here is the machine's own user, unless it comes through a proxy
};

// Whose it is what anybody may ask, and what nobody has looked at yet: strangers have a line at the desks and
// a part of the memory of their own. No owner has this name.
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
