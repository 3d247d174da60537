// A small HTTP server for tests, on an ephemeral port of loopback, that misbehaves on request. Unit tests
// script it with on(); add_hostile_behaviours() gives it the whole catalogue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "servers/connection.h"

namespace quarry::test {

class HostileServer {
public:
    // Answers one request; several run at once, one thread per connection.
    using Handler = std::function<void(const ServerRequest&, Connection&)>;

    // Listens before it returns. Ends the program with a message if it cannot. Another address of 127.0.0.0/8
    // is another host, for policies.
    explicit HostileServer(std::uint16_t port = 0, std::string address = "127.0.0.1");

    // Cuts every connection and waits for the handlers.
    ~HostileServer();

    HostileServer(const HostileServer&) = delete;
    HostileServer& operator=(const HostileServer&) = delete;

    // The path exactly, or everything below it if it ends in "/*". Paths nobody handles get a 404.
    void on(const std::string& path, Handler handler);

    // Answers `path` as `target` is answered now.
    void add_alias(const std::string& path, const std::string& target);

    std::uint16_t port() const { return port_; }
    std::string url(std::string_view path = "/") const;

    std::vector<ServerRequest> requests();              // all received so far, in order of arrival
    std::size_t count_requests(std::string_view path);  // of that path
    std::size_t count_connections();

private:
    struct State {
        std::map<std::string, Handler> handlers{};
        std::vector<ServerRequest> requests{};
        std::vector<int> sockets{};
        std::vector<std::jthread> threads{};
        bool is_stopping = false;
    };

    void accept_connections();
    void serve(int socket);
    Handler handler_of(const ServerRequest& request);

    const std::string address_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    Guarded<State> state_;
    std::jthread acceptor_;
};

// The catalogue; behaviours.cc lists the paths and what they do.
void add_hostile_behaviours(HostileServer& server);

}  // namespace quarry::test
