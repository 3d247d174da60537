#include "browser/lanes.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/address.h"

namespace quarry::browser {
namespace {

struct Endpoint {
    sockaddr_storage address{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* any() { return reinterpret_cast<sockaddr*>(&address); }
    bool is_v6() const { return address.ss_family == AF_INET6; }
    // At the same place in both kinds.
    in_port_t& port() { return reinterpret_cast<sockaddr_in*>(&address)->sin_port; }
};

std::unexpected<Error> no_place(std::string_view host, std::string_view why) {
    return fail(ErrorCode::unavailable,
                fmt::format("cannot listen on {} for the browser's requests: {}; browser.gate has to name an "
                            "address of this machine",
                            host, why));
}

Result<Endpoint> look_up(const std::string& host) {
    std::string name = host;
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int problem = getaddrinfo(name.c_str(), nullptr, &wanted, &found); problem != 0)
        return no_place(host, gai_strerror(problem));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
    Endpoint endpoint{.size = found->ai_addrlen};
    std::memcpy(&endpoint.address, found->ai_addr, found->ai_addrlen);
    return endpoint;
}

Result<Descriptor> listen_at(Endpoint& endpoint, const std::string& host) {
    Descriptor socket(::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // Connections of pages that are over would keep the port from the next lanes for a minute.
    const int yes = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool is_listening = socket.is_open() && bind(socket.get(), endpoint.any(), endpoint.size) == 0 &&
                              ::listen(socket.get(), 256) == 0;
    if (!is_listening && errno == EADDRINUSE)
        return fail(ErrorCode::unavailable,
                    fmt::format("port {} of {} is taken: another quarry may have it; without a port, "
                                "browser.gate takes those that are free",
                                ntohs(endpoint.port()), host));
    if (!is_listening) return no_place(host, std::strerror(errno));
    getsockname(socket.get(), endpoint.any(), &endpoint.size);
    return socket;
}

}  // namespace

Result<void> Lanes::listen(const Place& place) {
    const Endpoint first = TRY(look_up(place.host));
    for (int i = 0; i < place.lanes; ++i) {
        Endpoint endpoint = first;
        const int port = place.first_port == 0 ? 0 : place.first_port + i;
        if (port > 0xffff)
            return fail(ErrorCode::unavailable,
                        fmt::format("browser.gate needs {} ports from {} on", place.lanes, place.first_port));
        endpoint.port() = htons(static_cast<in_port_t>(port));
        Descriptor listener = TRY(listen_at(endpoint, place.host));
        const auto address = net::Address::from_sockaddr(endpoint.any());
        if (!address) return no_place(place.host, "it is of an unknown kind");
        const std::string text = endpoint.is_v6() ? fmt::format("[{}]", address->text()) : address->text();
        add(std::move(listener), text, ntohs(endpoint.port()));
    }
    return {};
}

void Lanes::add(Descriptor listener, const std::string& address, std::uint16_t port) {
    free_.push_back({gate_.add(std::move(listener)), fmt::format("http://{}:{}", address, port)});
}

Lane Lanes::take() {
    Lane lane = std::move(free_.back());
    free_.pop_back();
    return lane;
}

}  // namespace quarry::browser
