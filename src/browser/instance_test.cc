#include "browser/remote.h"

#include <doctest/doctest.h>

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
