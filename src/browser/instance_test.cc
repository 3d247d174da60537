#include "browser/instance.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

using namespace quarry;
using namespace quarry::browser;

TEST_CASE("lanes listen at free ports of an address or a name, and are told apart by them") {
    Lanes lanes;

    REQUIRE(lanes.listen({.host = "localhost", .lanes = 2}));

    const Lane first = lanes.take(), second = lanes.take();
    CHECK_FALSE(lanes.has_free());
    CHECK(first.proxy != second.proxy);
    lanes.give_back(second);
    CHECK(lanes.take().proxy == second.proxy);
}

TEST_CASE("lanes listen on IPv6, too") {
    Lanes lanes;
    REQUIRE(lanes.listen({.host = "[::1]"}));
    const Lane lane = lanes.take();
    const std::string start = "http://[::1]:";
    REQUIRE(lane.proxy.starts_with(start));
    sockaddr_in6 place{};
    place.sin6_family = AF_INET6;
    place.sin6_addr = in6addr_loopback;
    place.sin6_port = htons(static_cast<std::uint16_t>(std::stoi(lane.proxy.substr(start.size()))));
    lanes.gate().open(lane.number, {.browser = net::Address::parse("127.0.0.1")});

    const Descriptor client(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(client.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
    const std::string_view request = "CONNECT [::1]:9 HTTP/1.1\r\n\r\n";
    send(client.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string answer(12, '\0');
    recv(client.get(), answer.data(), answer.size(), MSG_WAITALL);

    CHECK(answer == "HTTP/1.1 403");
}

TEST_CASE("lanes say why they cannot listen") {
    Lanes lanes, others;
    REQUIRE(lanes.listen({.host = "127.0.0.1"}));
    const std::string proxy = lanes.take().proxy;
    const auto port = static_cast<std::uint16_t>(std::stoi(proxy.substr(proxy.rfind(':') + 1)));

    const auto taken = others.listen({.host = "127.0.0.1", .first_port = port});
    const auto strange = others.listen({.host = "192.0.2.7"});
    const auto beyond = others.listen({.host = "127.0.0.1", .first_port = 65'535, .lanes = 2});

    REQUIRE_FALSE(taken);
    CHECK(taken.error().message.contains("is taken"));
    REQUIRE_FALSE(strange);
    CHECK(strange.error().message.contains("an address of this machine"));
    CHECK_FALSE(beyond);
}

using namespace quarry;
using namespace quarry::browser;

TEST_CASE("a browser elsewhere is named by its address, and the gate by one of ours") {
    struct Row {
        std::string url, gate;
        std::string host;  // of the gate; "" if it is refused
        std::uint16_t port;
        std::string words;  // of the refusal
    };
    const Row rows[] = {
        {"http://127.0.0.1:9222", "", "127.0.0.1", 0, ""},
        {"http://localhost:9222/", "", "127.0.0.1", 0, ""},
        {"ws://[::1]:9222/devtools/browser/a-b", "", "127.0.0.1", 0, ""},
        {"http://10.0.0.7:9222", "10.0.0.5", "10.0.0.5", 0, ""},
        {"http://10.0.0.7:9222", "10.0.0.5:9300", "10.0.0.5", 9300, ""},
        {"ws://chrome:9222/devtools/browser/a-b", "quarry:9300", "quarry", 9300, ""},
        {"http://[2001:db8::7]:9222", "2001:db8::5", "2001:db8::5", 0, ""},
        {"http://[2001:db8::7]:9222", "[2001:db8::5]:9300", "[2001:db8::5]", 9300, ""},
        {"http://10.0.0.7:9222", "", "", 0, "browser.gate has to name the address"},
        {"http://chrome:9222", "", "", 0, "browser.gate has to name the address"},
        {"http://10.0.0.7:9222", "0.0.0.0:9300", "", 0, "the one address"},
        {"http://10.0.0.7:9222", "[::]:9300", "", 0, "the one address"},
        {"http://10.0.0.7:9222", ":9300", "", 0, "the one address"},
        {"http://10.0.0.7:9222", "10.0.0.5:0", "", 0, "has no port \"0\""},
        {"http://10.0.0.7:9222", "10.0.0.5:99999", "", 0, "has no port"},
        {"http://10.0.0.7:9222", "10.0.0.5:x", "", 0, "has no port"},
        {"wss://127.0.0.1/devtools/browser/a", "", "", 0, "tunnel"},
        {"https://127.0.0.1:9222", "", "", 0, "tunnel"},
        {"ftp://127.0.0.1", "", "", 0, "not of kind \"ftp\""},
        {"127.0.0.1:9222", "", "", 0, "http://HOST:PORT or ws://"},
        {"http://127.0.0.1:9222/json", "", "", 0, "has no path"},
        {"http://a:b@127.0.0.1:9222", "", "", 0, "no user and password"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        CAPTURE(row.gate);
        const auto config = RemoteConfig::parse(row.url, row.gate);
        REQUIRE(config.has_value() == !row.host.empty());
        if (config) {
            CHECK(config->gate_host == row.host);
            CHECK(config->gate_port == row.port);
        } else {
            CHECK(config.error().message.contains(row.words));
        }
    }
}
