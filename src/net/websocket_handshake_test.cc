#include "net/websocket_handshake.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::net;

// The key and the answer to it are those of RFC 6455, section 1.3.
constexpr const char* key = "dGhlIHNhbXBsZSBub25jZQ==";

TEST_CASE("a WebSocket is open when the server has proved that it knows the protocol") {
    struct Row {
        std::string head;
        std::string words;  // "" if it is open
        const char* reason;
    };
    const std::string proof = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    const std::string upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
    const std::string switching = "HTTP/1.1 101 Switching Protocols\r\n";
    const Row rows[] = {
        {switching + upgrade + proof, "", "as it should be"},
        {switching + "connection: keep-alive, upgrade\r\nUPGRADE: WebSocket\r\n" + proof, "", "other cases"},
        {"HTTP/1.1 101 WebSocket Protocol Handshake\r\n" + upgrade + proof, "", "other words"},
        {"HTTP/1.1 101\r\n" + upgrade + proof, "", "no words"},
        {"HTTP/1.1 404 Not Found\r\n", "HTTP 404", "no such target"},
        {"HTTP/1.1 200 OK\r\n" + upgrade + proof, "HTTP 200", "a page"},
        {"HTTP/1.0 101 Switching Protocols\r\n" + upgrade + proof, "not HTTP/1.1", "too old"},
        {"+PONG\r\n", "not HTTP/1.1", "Redis"},
        {"", "not HTTP/1.1", "nothing"},
        {switching + upgrade, "Accept is wrong", "no proof"},
        {switching + upgrade + "Sec-WebSocket-Accept: AAAA\r\n", "Accept is wrong", "a wrong proof"},
        {switching + "Upgrade: h2c\r\nConnection: Upgrade\r\n" + proof, "something else", "another protocol"},
        {switching + "Upgrade: websocket\r\n" + proof, "something else", "no connection header"},
        {switching + upgrade + proof + "Sec-WebSocket-Extensions: permessage-deflate\r\n", "nobody asked",
         "compression"},
        {switching + upgrade + proof + "Sec-WebSocket-Protocol: chat\r\n", "nobody asked", "a protocol"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const auto checked = check_websocket_answer(row.head + "\r\n", key);
        CHECK(checked.has_value() == row.words.empty());
        if (!checked) CHECK(checked.error().message.contains(row.words));
    }
}

TEST_CASE("a WebSocket is asked for without an origin, which Chromium would refuse") {
    const std::string request = websocket_request({.host = "127.0.0.1:9222", .target = "/devtools/x?y"}, key);

    CHECK(request.starts_with("GET /devtools/x?y HTTP/1.1\r\nHost: 127.0.0.1:9222\r\n"));
    CHECK(request.contains("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
    CHECK(request.contains("Sec-WebSocket-Version: 13\r\n"));
    CHECK_FALSE(request.contains("Origin"));
    CHECK(request.ends_with("\r\n\r\n"));
}
