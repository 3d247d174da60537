#include "net/websocket.h"

#include <vector>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::net;
using namespace std::string_literals;

namespace {

// What is read of the bytes, one line per message, ping or close; then "!" and the error, if there is one.
std::vector<std::string> events_of(const std::string& bytes, std::size_t piece_bytes) {
    std::vector<std::string> lines;
    std::string text;
    WebSocketReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        std::string_view piece = std::string_view(bytes).substr(at, piece_bytes);
        for (;;) {
            const auto event = reader.next(piece);
            if (!event) {
                lines.push_back("!" + event.error().message);
                return lines;
            }
            if (!*event) break;
            using Kind = WebSocketReader::Event::Kind;
            if ((*event)->kind == Kind::ping) lines.push_back("ping " + std::string((*event)->bytes));
            if ((*event)->kind == Kind::close) lines.push_back("close " + std::string((*event)->bytes));
            if ((*event)->kind != Kind::text) continue;
            text += (*event)->bytes;
            if ((*event)->is_end) lines.push_back(std::exchange(text, {}));
        }
        CHECK(piece.empty());
    }
    return lines;
}

}  // namespace

TEST_CASE("messages are read in whatever pieces they come") {
    using Lines = std::vector<std::string>;
    struct Row {
        std::string bytes;
        Lines lines;
        const char* reason;
    };
    const std::string medium(300, 'm'), large(70'000, 'l');
    const Row rows[] = {
        {"\x81\x05Hello", {"Hello"}, "one frame (RFC 6455, 5.7)"},
        {"\x01\x03Hel\x80\x02lo", {"Hello"}, "two fragments"},
        {"\x01\x03Hel\x89\x01?\x80\x02lo", {"ping ?", "Hello"}, "a ping between fragments"},
        {"\x01\x00\x00\x00\x80\x00"s, {""}, "fragments of nothing"},
        {"\x81\x00"s, {""}, "an empty message"},
        {"\x81\x01"
         "a\x81\x01"
         "b",
         {"a", "b"},
         "two messages"},
        {"\x81\x7e\x01\x2c" + medium, {medium}, "a length of two bytes"},
        {"\x81\x7f\x00\x00\x00\x00\x00\x01\x11\x70"s + large, {large}, "a length of eight bytes"},
        {"\x8a\x02hi\x81\x01x", {"x"}, "a pong that nobody asked for"},
        {"\x88\x02\x03\xe8", {"close \x03\xe8"}, "the end"},
        {"\x88\x00"s, {"close "}, "the end, without a word"},
        {"\x89\x00"s, {"ping "}, "a ping without a word"},
        {"\x81\x05Hel", {}, "cut short"},
        {"\x81", {}, "cut in the head"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(events_of(row.bytes, row.bytes.size()) == row.lines);
        CHECK(events_of(row.bytes, 1) == row.lines);
        CHECK(events_of(row.bytes, 3) == row.lines);
    }
}

TEST_CASE("what no WebSocket server sends ends the connection") {
    struct Row {
        std::string bytes, words;
    };
    const Row rows[] = {
        {"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", "a server masks nothing"},
        {"\xc1\x01x", "reserved bits are set"},
        {"\x80\x01x", "nothing is to be continued"},
        {"\x01\x01x\x81\x01y", "a message begins inside of another"},
        {"\x09\x01x", "a control frame is too long"},
        {"\x89\x7e\x01\x00"s, "a control frame is too long"},
        {"\x83\x01x", "a frame is of an unknown kind"},
        {"\x8b\x01x", "a frame is of an unknown kind"},
        {"\x81\x7e\x00\x05Hello"s, "a length is written in the wrong way"},
        {"\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff"s, "a length is written in the wrong way"},
        {"\x81\x7f\x80\x00\x00\x00\x00\x00\x00\x00"s, "a length is written in the wrong way"},
        {"\x82\x01x", "binary"},
        {"HTTP/1.1 400 Bad Request", "reserved bits are set"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.words);
        const auto lines = events_of(row.bytes, row.bytes.size());
        REQUIRE(lines.size() == 1);
        CHECK(lines[0].contains(row.words));
    }
}

TEST_CASE("a length that nobody could send costs no memory") {
    WebSocketReader reader;
    std::string_view bytes("\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff{", 11);

    const auto event = reader.next(bytes).value();

    REQUIRE(event);
    CHECK(event->bytes == "{");
    CHECK_FALSE(event->is_end);
}

TEST_CASE("what is sent is masked, as RFC 6455 has it in 5.7") {
    std::string bytes;

    append_frame(bytes, WebSocketOpcode::text, "Hello", 0x37fa213d);

    CHECK(bytes == "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
}

TEST_CASE("lengths are written as shortly as they can be") {
    const auto head_of = [](std::size_t size) {
        std::string bytes;
        append_frame(bytes, WebSocketOpcode::text, std::string(size, 'x'), 0);
        CHECK(bytes.ends_with(std::string(4, '\0') + std::string(size, 'x')));
        return bytes.substr(0, bytes.size() - size - 4);
    };
    CHECK(head_of(0) == "\x81\x80");
    CHECK(head_of(125) == "\x81\xfd");
    CHECK(head_of(126) == "\x81\xfe\x00\x7e"s);
    CHECK(head_of(65'535) == "\x81\xfe\xff\xff");
    CHECK(head_of(65'536) == "\x81\xff\x00\x00\x00\x00\x00\x01\x00\x00"s);
}

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
