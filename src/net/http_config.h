// What holds for every request of one HTTP client.
#pragma once

#include <cstddef>
#include <string>

namespace quarry::net {

struct HttpConfig {
    std::string user_agent = "quarry/0.1";

    // "http://user:password@proxy.example:3128", also https, socks5 and socks5h. Only from here, never from a
    // request or the environment. The proxy resolves names, so only hosts written as addresses can be checked
    // by the policy.
    std::string proxy{};

    std::string ca_file{};  // certificates to trust, PEM; empty means the system's

    std::size_t max_in_flight = 256;    // transfers under way at once
    std::size_t max_waiting = 10'000;   // requests accepted beyond those; more fail with `conflict`
    std::size_t max_connections = 512;  // open connections, idle ones included
    std::size_t max_lookups = 32;       // each DNS lookup is a thread of curl's
};

}  // namespace quarry::net
