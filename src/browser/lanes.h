// The gate that the pages of browsers go out through, with one lane for each page that may be open at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/browser_proxy.h"

namespace quarry::browser {

struct Lane {
    net::Gate::Lane number = 0;
    std::string proxy{};  // as the browser is told
};

// Which lanes are free is kept by one thread at a time.
class Lanes {
public:
    Lanes() = default;
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    // Listens for a browser elsewhere, on an address of this machine that it can reach: a name or an address.
    // The lanes have the ports from `first_port` on; 0 means any that are free. Fails with `unavailable` if
    // that is no address of this machine's, or a port is taken.
    struct Place {
        std::string host{};
        std::uint16_t first_port = 0;
        int lanes = 1;
    };
    Result<void> listen(const Place& place);

    // `address` is what a browser has to write for the listener's host.
    void add(Descriptor listener, const std::string& address, std::uint16_t port);

    bool has_free() const { return !free_.empty(); }
    Lane take();
    void give_back(Lane lane) { free_.push_back(std::move(lane)); }

    net::Gate& gate() { return gate_; }

private:
    net::Gate gate_;
    std::vector<Lane> free_;
};

}  // namespace quarry::browser
