// Who asks, and whether they may: keys, strangers, and how often.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "api/keyring.h"
#include "api/message.h"
#include "api/rate_limit.h"
#include "api/route.h"

namespace quarry::api {

struct AdmissionRules {
    bool needs_key = false;              // others can reach the server: nobody is answered without a key
    bool answers_strangers = false;      // whoever set it up keeps strangers away, and keys are not asked for
    std::vector<std::string> origins{};  // whose pages may ask from a browser; "*": all
};

class Admission {
public:
    explicit Admission(AdmissionRules rules) : rules_(std::move(rules)) {}

    Keyring& keyring() { return keyring_; }
    const Keyring& keyring() const { return keyring_; }

    // The owner of what is asked for, or what is answered instead. Any thread.
    std::expected<std::string, Response> admit(const Request& request, Access access);

    // What a browser is told about the request's origin; nothing if it may not ask.
    std::vector<Header> cors_headers(const Request& request) const;

private:
    std::expected<std::string, Response> identify(const Request& request) const;
    bool is_welcome_origin(std::string_view origin) const;

    const AdmissionRules rules_;
    Keyring keyring_;
    RateLimit rate_limit_;
};

// "Bearer …", "X-Api-Key: …" or, of a WebSocket, the protocol it offers. "" for what clients send who have no
// key.
std::string_view token_of(const Request& request);

}  // namespace quarry::api
