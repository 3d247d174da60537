// The door to the web for a browser, which opens its connections itself and follows pages wherever they lead:
// redirects, frames, workers, WebSockets. Here it is made to ask for each of them: a proxy that looks the
// name up, checks every address by the policy of the page, and connects, or does not. docs/decisions/0017
// tells why.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptors.h"
#include "base/result.h"
#include "net/address.h"
#include "net/address_policy.h"

namespace quarry::net {

struct ProxyLimits {
    std::size_t connections = 1'000;  // one after the other, per page
    std::size_t connections_at_once = 128;
    std::uint64_t bytes = std::uint64_t{200} * 1024 * 1024;  // both ways together
    std::chrono::milliseconds connect_timeout{10'000};
};

// Who may pass, and how much of it.
struct ProxyPolicy {
    AddressPolicy policy{};
    ProxyLimits limits{};

    // Nobody but the browser may use it: who comes from another address is turned away. Loopback is one
    // address, however it is written. Nothing where only the browser can reach the listener.
    std::optional<Address> browser{};
};

struct ProxyStats {
    std::size_t connections = 0;
    std::uint64_t bytes = 0;
    std::size_t refused = 0;                  // by the policy
    std::size_t rejected_peers = 0;           // turned away: they were not the browser
    bool is_used_up = false;                  // a limit was reached; nothing passes any more
    std::map<std::string, Error> failures{};  // by "host:port"; the first hundred
};

// One thread of its own moves the bytes. Any thread may call.
class BrowserProxy {
public:
    BrowserProxy();
    // Cuts everything.
    ~BrowserProxy();
    BrowserProxy(const BrowserProxy&) = delete;
    BrowserProxy& operator=(const BrowserProxy&) = delete;

    // Takes a listening socket of the browser's. A lane is closed at first.
    using Lane = std::size_t;
    Lane add(Descriptor listener);

    // From now on what comes to the lane passes, and is counted from zero.
    void open(Lane lane, ProxyPolicy pass);
    ProxyStats tally(Lane lane);
    // Cuts all its connections; nothing passes until it is opened again.
    ProxyStats close(Lane lane);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace quarry::net
