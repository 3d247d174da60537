// Which addresses quarry may connect to. A page on the web can name any host, redirect anywhere, and control
// what its name resolves to; so the decision is made on the address a socket is about to connect to, every
// time.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace quarry::net {

// A value, copied into each request: two crawls in one process may be allowed different things.
struct AddressPolicy {
    // Lets loopback, private and other special addresses through, but not the metadata services of clouds,
    // which hand out credentials: those must be named in allowed_networks.
    bool allow_private = false;

    // Always allowed, whatever they are. An IPv4 network also allows its IPv4-mapped and NAT64 forms.
    std::vector<Network> allowed_networks{};

    // Fails with `refused` and a sentence such as
    // "refused: 127.0.0.1 is a loopback address (allow it with --allow-private)".
    Result<void> check(const Address& address) const;

    // Checks a URL's host if it is an address, so that a refusal needs no network. A name always passes: what
    // it resolves to is checked when connecting.
    Result<void> check_host(std::string_view host) const;
};

}  // namespace quarry::net
