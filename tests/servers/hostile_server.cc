#include "servers/hostile_server.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quarry::test {

namespace {

void require(bool is_good, const char* what) {
    if (is_good) return;
    std::perror(what);
    std::exit(2);
}

int open_listener(const std::string& host, std::uint16_t port) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(listener >= 0, "socket");
    const int yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    require(inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1, "address");
    address.sin_port = htons(port);
    require(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
    require(listen(listener, 512) == 0, "listen");
    return listener;
}

std::uint16_t port_of(int listener) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

void respond_not_found(const ServerRequest& request, Connection& connection) {
    connection.respond(404, {{"Content-Type", "text/plain"}}, fmt::format("nothing at {}\n", request.path));
}

}  // namespace

HostileServer::HostileServer(std::uint16_t port, std::string address)
    : address_(std::move(address)),
      listener_(open_listener(address_, port)),
      port_(port_of(listener_)),
      acceptor_([this] { accept_connections(); }) {}

HostileServer::~HostileServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    auto threads = state_.with([](State& state) {
        state.is_stopping = true;
        for (const int socket : state.sockets) shutdown(socket, SHUT_RDWR);
        return std::exchange(state.threads, {});
    });
    threads.clear();  // Joins them, outside the lock that they need to end.
}

void HostileServer::on(const std::string& path, Handler handler) {
    state_.with([&](State& state) { state.handlers[path] = std::move(handler); });
}

void HostileServer::add_alias(const std::string& path, const std::string& target) {
    state_.with([&](State& state) { state.handlers[path] = state.handlers.at(target); });
}

std::string HostileServer::url(std::string_view path) const {
    return fmt::format("http://{}:{}{}", address_, port_, path);
}

std::vector<ServerRequest> HostileServer::requests() {
    return state_.with([](State& state) { return state.requests; });
}

std::size_t HostileServer::count_requests(std::string_view path) {
    return static_cast<std::size_t>(std::ranges::count_if(
        requests(), [&](const ServerRequest& request) { return request.path == path; }));
}

std::size_t HostileServer::count_connections() {
    return state_.with([](State& state) { return state.threads.size(); });
}

void HostileServer::accept_connections() {
    while (true) {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const int yes = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        state_.with([&](State& state) {
            state.sockets.push_back(socket);
            state.threads.emplace_back([this, socket] { serve(socket); });
        });
    }
}

void HostileServer::serve(int socket) {
    Connection connection(socket);
    while (connection.is_open()) {
        const auto request = connection.read_request();
        if (!request) break;
        const Handler handler = handler_of(*request);
        handler(*request, connection);
    }
    // Removed before it is closed, so that the destructor cannot shut down a reused number.
    state_.with([&](State& state) { std::erase(state.sockets, socket); });
    close(socket);
}

HostileServer::Handler HostileServer::handler_of(const ServerRequest& request) {
    return state_.with([&](State& state) -> Handler {
        state.requests.push_back(request);
        if (const auto exact = state.handlers.find(request.path); exact != state.handlers.end())
            return exact->second;
        for (const auto& [path, handler] : state.handlers)
            if (path.ends_with("/*") && request.path.starts_with(path.substr(0, path.size() - 1)))
                return handler;
        return respond_not_found;
    });
}

}  // namespace quarry::test
