#include "net/browser_proxy.h"

#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

using namespace quarry;
using namespace quarry::net;

namespace {

struct Listener {
    Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    sockaddr_in address{};

    Listener() {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(bind(socket.get(), any, size) == 0);
        REQUIRE(listen(socket.get(), 16) == 0);
        REQUIRE(getsockname(socket.get(), any, &size) == 0);
    }
};

// Asks the gate for a forbidden address.
Descriptor asking(const sockaddr_in& gate) {
    Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(client.get(), reinterpret_cast<const sockaddr*>(&gate), sizeof gate) == 0);
    const std::string_view request = "CONNECT 127.0.0.1:9 HTTP/1.1\r\n\r\n";
    send(client.get(), request.data(), request.size(), MSG_NOSIGNAL);
    return client;
}

// What the gate answers to that; "" if it hangs up.
std::string ask(const sockaddr_in& gate) {
    const Descriptor client = asking(gate);
    std::string answer;
    char buffer[1024];
    for (ssize_t got = 0; (got = recv(client.get(), buffer, sizeof buffer, 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(got));
    return answer;
}

bool is_hung_up_on(const Descriptor& client) {
    pollfd watched{.fd = client.get(), .events = POLLRDHUP, .revents = 0};
    return poll(&watched, 1, 10'000) == 1;
}

}  // namespace

TEST_CASE("a lane is closed except while its page is open") {
    Listener listener;
    BrowserProxy gate;
    const auto lane = gate.add(std::move(listener.socket));

    CHECK(ask(listener.address) == "");
    gate.open(lane, {});
    CHECK(ask(listener.address).starts_with("HTTP/1.1 403 "));
    CHECK(gate.close(lane).refused == 1);
    CHECK(ask(listener.address) == "");
}

TEST_CASE("a lane is for its browser, and nobody from another address") {
    Listener listener;
    BrowserProxy gate;
    const auto lane = gate.add(std::move(listener.socket));

    gate.open(lane, {.browser = Address::parse("192.0.2.7")});
    CHECK(ask(listener.address) == "");
    const ProxyStats turned_away = gate.close(lane);
    gate.open(lane, {.browser = Address::parse("127.0.0.9")});
    CHECK(ask(listener.address).starts_with("HTTP/1.1 403 "));
    const ProxyStats let_in = gate.close(lane);

    CHECK(turned_away.rejected_peers == 1);
    CHECK(turned_away.connections == 0);
    CHECK(let_in.rejected_peers == 0);
    CHECK(let_in.refused == 1);
}

// The threads that look names up may be about to hand over what they found.
TEST_CASE("a gate may end while names are looked up") {
    for (int i = 0; i < 50; ++i) {
        Listener listener;
        std::vector<Descriptor> clients;
        {
            BrowserProxy gate;
            const auto lane = gate.add(std::move(listener.socket));
            gate.open(lane, {});
            for (int j = 0; j < 8; ++j) clients.push_back(asking(listener.address));
            while (gate.tally(lane).connections == 0) std::this_thread::yield();
        }
        for (const Descriptor& client : clients) CHECK(is_hung_up_on(client));
    }
}
