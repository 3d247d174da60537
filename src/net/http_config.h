// What holds for every request of one HTTP client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace quarry::net {

struct HttpConfig {
    std::string user_agent = "quarry/0.2";

    // "http://user:password@proxy.example:3128", also https, socks5 and socks5h. Only from here, never from a
    // request or the environment. The proxy resolves names, so only hosts written as addresses can be checked
    // by the policy.
    std::string proxy{};

    std::string ca_file{};  // certificates to trust, PEM; empty means the system's

    std::size_t max_in_flight = 256;    // transfers under way at once
    std::size_t max_waiting = 10'000;   // requests accepted beyond those; more fail with `conflict`
    std::size_t max_connections = 512;  // open connections, idle ones included
    std::size_t max_lookups = 32;       // names looked up at once; each lookup is a thread of curl's

    // Transfers connected to one address at once, whatever host names led there; more wait, without holding
    // up others. 0: no limit. Does not apply to a proxy.
    std::size_t max_transfers_per_address = 0;

    // Decoded bytes of bodies that are not yet handed to their callbacks, all transfers together. When they
    // are used up, no transfer begins and those under way pause, at no cost to their time limits, until
    // others have ended; one always goes on. So there can be more by one body and a block.
    std::uint64_t max_bytes_in_flight = std::uint64_t{256} * 1024 * 1024;
};

}  // namespace quarry::net
