#include "app/demo/server.h"

#include <string>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace quarry::app;

namespace {

std::uint16_t port_of(const std::string& origin) {
    return static_cast<std::uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1)));
}

class Visitor {
public:
    explicit Visitor(const DemoServer& server) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port_of(server.origin()));
        is_connected = connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    void send(std::string_view bytes) {
        CHECK(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size()));
    }

    // Until so many bytes are there, or the server has closed.
    std::string receive(std::size_t bytes = std::string::npos) {
        std::string received;
        char buffer[4096];
        while (received.size() < bytes) {
            const ssize_t got = recv(socket_.get(), buffer, sizeof buffer, 0);
            if (got <= 0) break;
            received.append(buffer, static_cast<std::size_t>(got));
        }
        return received;
    }

    bool is_connected = false;

private:
    Descriptor socket_;
};

std::unique_ptr<DemoServer> serving(DemoFiles files) {
    auto server = DemoServer::listen().value();
    server->serve(std::move(files));
    return server;
}

}  // namespace

TEST_CASE("the demo's server answers several requests on one connection, in order") {
    const auto server = serving({{"/a", {"text/plain", "first"}}, {"/b", {"text/plain", "second"}}});
    Visitor visitor(*server);

    visitor.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n");

    const std::string answers = visitor.receive();
    CHECK(answers.find("first") < answers.find("HTTP/1.1", 1));
    CHECK(answers.ends_with("second"));
}

TEST_CASE("a request may come in pieces") {
    const auto server = serving({{"/a", {"text/plain", "whole"}}});
    Visitor visitor(*server);

    visitor.send("GET /a HT");
    visitor.send("TP/1.1\r\nConnection: close\r\n");
    visitor.send("\r\n");

    CHECK(visitor.receive().ends_with("whole"));
}

TEST_CASE("a large answer arrives whole") {
    const std::string large(8'000'000, 'x');
    const auto server = serving({{"/large", {"text/plain", large}}});
    Visitor visitor(*server);

    visitor.send("GET /large HTTP/1.1\r\nConnection: close\r\n\r\n");

    CHECK(visitor.receive().ends_with("\r\n\r\n" + large));
}

TEST_CASE("a request without end is cut off") {
    const auto server = serving({});
    Visitor visitor(*server);

    visitor.send("GET / HTTP/1.1\r\nX: " + std::string(17'000, 'x'));

    CHECK(visitor.receive().empty());
}

TEST_CASE("more visitors than the server has room for wait their turn") {
    const auto server = serving({{"/a", {"text/plain", "served"}}});
    std::vector<std::unique_ptr<Visitor>> visitors;
    for (int i = 0; i < 100; ++i) visitors.push_back(std::make_unique<Visitor>(*server));

    for (auto& visitor : visitors) {
        visitor->send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n");
        CHECK(visitor->receive().ends_with("served"));
    }
}

TEST_CASE("the server is gone with its object, with connections open or none") {
    std::uint16_t port = 0;
    {
        const auto server = serving({});
        const Visitor idle(*server);
        port = port_of(server->origin());
        CHECK(idle.is_connected);
    }
    CHECK(port != 0);
    const auto never_served = DemoServer::listen();
    CHECK(never_served.has_value());
}
