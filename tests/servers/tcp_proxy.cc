#include "servers/tcp_proxy.h"

#include <array>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quarry::test {

namespace {

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

const sockaddr* generic(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

void close_with_reset(int socket) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(socket);
}

void send_at_once(int socket) {
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

}  // namespace

TcpProxy::TcpProxy(int target_port) : target_port_(target_port) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    if (bind(listener_, generic(address), size) != 0 || listen(listener_, 128) != 0 || pipe(wake_) != 0)
        throw std::runtime_error("the proxy cannot listen");
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
    stopping_ = true;
    set(State::dropping);
    thread_.join();
    for (const int descriptor : {listener_, wake_[0], wake_[1]}) close(descriptor);
}

void TcpProxy::set(State state) {
    state_ = state;
    const char byte = 0;
    if (write(wake_[1], &byte, 1) != 1) throw std::runtime_error("the proxy has gone");
}

void TcpProxy::run() {
    while (!stopping_) {
        if (state_ == State::dropping) drop_all();
        wait();
    }
    drop_all();
}

void TcpProxy::drop_all() {
    for (const Pair& pair : pairs_) {
        close_with_reset(pair.client);
        close_with_reset(pair.server);
    }
    pairs_.clear();
}

void TcpProxy::wait() {
    std::vector<pollfd> watched = {{.fd = wake_[0], .events = POLLIN, .revents = 0}};
    const bool forwards = state_ == State::forwarding;
    // While it stalls, connections wait in the kernel's queue.
    if (state_ != State::stalled) watched.push_back({.fd = listener_, .events = POLLIN, .revents = 0});
    const std::size_t first = watched.size();
    if (forwards)
        for (const Pair& pair : pairs_)
            for (const int side : {pair.client, pair.server})
                watched.push_back({.fd = side, .events = POLLIN, .revents = 0});
    if (poll(watched.data(), watched.size(), -1) < 0) return;
    if (watched[0].revents != 0) {
        std::array<char, 64> bytes;
        (void)!read(wake_[0], bytes.data(), bytes.size());
        return;  // what is to be done may have changed
    }
    std::vector<Pair> kept;
    for (std::size_t at = first, number = 0; at < watched.size(); at += 2, ++number) {
        const Pair& pair = pairs_[number];
        const bool lives = (watched[at].revents == 0 || pass_on(pair.client, pair.server)) &&
                           (watched[at + 1].revents == 0 || pass_on(pair.server, pair.client));
        if (lives) {
            kept.push_back(pair);
        } else {
            close(pair.client);
            close(pair.server);
        }
    }
    if (forwards) pairs_ = std::move(kept);
    if (first > 1 && watched[1].revents != 0) accept_one();
}

void TcpProxy::accept_one() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    if (state_ == State::dropping) return close_with_reset(client);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(target_port_);
    if (connect(server, generic(address), sizeof(address)) != 0) {
        close(server);
        return close_with_reset(client);
    }
    send_at_once(client);
    send_at_once(server);
    pairs_.push_back({client, server});
}

bool TcpProxy::pass_on(int from, int to) {
    std::array<char, 64 << 10> bytes;
    const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    for (ssize_t sent = 0; sent < got;) {
        const ssize_t some =
            send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
        if (some <= 0) return false;
        sent += some;
    }
    forwarded_ += got;
    return true;
}

}  // namespace quarry::test
