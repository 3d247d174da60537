// A loopback port that no process uses now and that no process is likely to take in the next moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quarry::test {

inline bool is_free_port(std::uint16_t port) {
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool is_free = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    return is_free;
}

// Not one of the ports that the kernel gives to outgoing connections: while other tests run, those are taken
// within milliseconds. Not one that this process was given before, either.
inline std::uint16_t free_port() {
    constexpr unsigned first = 15'000, count = 17'000;  // the kernel's begin at 32,768
    static std::atomic<unsigned> next = std::random_device{}();
    for (unsigned tries = 0; tries < count; ++tries) {
        const auto port = static_cast<std::uint16_t>(first + next++ % count);
        if (is_free_port(port)) return port;
    }
    throw std::runtime_error("no free port on loopback");
}

}  // namespace quarry::test
