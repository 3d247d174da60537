#include "browser/devtools.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include "net/websocket.h"

using namespace quarry;
using namespace quarry::browser;

TEST_CASE("a message is an answer or an event, and nothing else") {
    struct Row {
        std::string text;
        bool is_message;
        const char* reason;
    };
    const Row rows[] = {
        {R"({"id":1,"result":{}})", true, "an answer"},
        {R"({"id":1,"error":{"code":-32000,"message":"no"}})", true, "an answer that says no"},
        {R"({"id":1})", true, "an answer without content"},
        {R"({"method":"Page.loadEventFired","params":{"timestamp":1}})", true, "an event"},
        {R"({"method":"Page.loadEventFired","sessionId":"A"})", true, "an event of a session"},
        {R"({"id":1,"method":"Page.enable"})", false, "a command: the browser sends none"},
        {R"({"id":"1","result":{}})", false, "an id that is no number"},
        {R"({"id":1.5,"result":{}})", false, "half an id"},
        {R"({"result":{}})", false, "an answer to nothing"},
        {R"([1])", false, "no object"},
        {R"()", false, "nothing"},
        {R"({"id":1,"result":{})", false, "cut short"},
        {R"({"id":1}{"id":2})", false, "two"},
        {R"({"id":1,"result":{"a":)" + std::string(100, '[') + std::string(100, ']') + "}}", false,
         "too deep"},
        {"{\"method\":\"a\",\"params\":{\"text\":\"\xed\xa0\x80\"}}", true, "half a character of a page's"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(parse_message(row.text).has_value() == row.is_message);
    }
}

TEST_CASE("what the browser says instead of an answer is kept short") {
    const auto message =
        parse_message(R"({"id":7,"error":{"message":")" + std::string(5'000, 'x') + "\"}}").value();

    CHECK(message.id == 7);
    REQUIRE(message.error);
    CHECK(message.error->message.size() == 300);
}

TEST_CASE("fields of another type than expected are as good as none") {
    const auto message =
        parse_message(R"({"method":"m","params":{"a":1,"b":"x","c":{"d":true},"e":1e400}})").value();

    CHECK(text_at(message.content, "a") == "");
    CHECK(number_at(message.content, "b") == 0);
    CHECK(object_at(message.content, "b").empty());
    CHECK(flag_at(object_at(message.content, "c"), "d"));
    CHECK_FALSE(flag_at(message.content, "a"));
}

TEST_CASE("an answer that is too long to be read is known by its beginning") {
    CHECK(id_of_beginning(R"({"id":12,"result":{"data":"AAAA)") == 12);
    CHECK_FALSE(id_of_beginning(R"({"id":12)"));
    CHECK_FALSE(id_of_beginning(R"({"method":"Page.x","params":{"id":12,)"));
    CHECK_FALSE(id_of_beginning(R"({"id":99999999999999999999,)"));
}

using namespace quarry;
using namespace quarry::browser;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

Deadline soon() {
    return std::chrono::steady_clock::now() + 10s;
}

// The browser's side of a WebSocket, in bytes.
class Far {
public:
    Far() {
        int ends[2] = {-1, -1};
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        near_ = Descriptor(ends[0]);
        far_ = Descriptor(ends[1]);
    }
    std::unique_ptr<Wire> wire() { return websocket_wire(std::move(near_)); }

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(far_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // The payload of the next frame, which is a short one.
    std::string receive() const {
        unsigned char head[6] = {};
        if (recv(far_.get(), head, 6, MSG_WAITALL) != 6) return "gone";
        std::string payload(head[1] & 0x7f, '\0');
        if (recv(far_.get(), payload.data(), payload.size(), MSG_WAITALL) != std::ssize(payload))
            return "gone";
        for (std::size_t i = 0; i < payload.size(); ++i)
            payload[i] = static_cast<char>(payload[i] ^ head[2 + i % 4]);
        last_opcode = head[0] & 0x0f;
        return payload;
    }
    void close() { far_.close(); }

    mutable int last_opcode = 0;

private:
    Descriptor near_, far_;
};

std::string frame(const std::string& text) {
    if (text.size() < 126) return "\x81" + std::string(1, static_cast<char>(text.size())) + text;
    return "\x81\x7e" + std::string(1, static_cast<char>(text.size() >> 8)) +
           std::string(1, static_cast<char>(text.size())) + text;
}

}  // namespace

TEST_CASE("commands and answers go over a WebSocket, also in fragments") {
    Far far;
    DevTools devtools(far.wire());

    auto first = devtools.send("Browser.getVersion");
    CHECK(far.receive() == R"({"id":1,"method":"Browser.getVersion","params":{}})");
    auto second = devtools.send("Page.enable", {}, "S");
    CHECK(far.receive() == R"({"id":2,"method":"Page.enable","params":{},"sessionId":"S"})");
    far.send("\x01\x08{\"id\":1,"s + "\x00\x09\"result\":"s + "\x80\x0a{\"a\":\"b\"}}"s);
    far.send(frame(R"({"id":2,"result":{}})"));

    CHECK(text_at(first.wait_until(soon()).value(), "a") == "b");
    CHECK(second.wait_until(soon()).has_value());
}

TEST_CASE("a ping of the browser's is answered, also in the midst of a message") {
    Far far;
    DevTools devtools(far.wire());

    auto answer = devtools.send("A.b");
    far.receive();
    far.send("\x01\x08{\"id\":1,"s + "\x89\x02hi" + "\x80\x0c\"result\":{}}"s);

    CHECK(far.receive() == "hi");
    CHECK(far.last_opcode == 10);
    CHECK(answer.wait_until(soon()).has_value());
}

TEST_CASE("an answer that is too long fails, and the next one is read") {
    Far far;
    DevTools devtools(far.wire(), "gone", {.message_bytes = 1'000});

    auto first = devtools.send("A.b");
    far.receive();
    far.send(frame(R"({"id":1,"result":{"data":")" + std::string(5'000, 'x') + "\"}}"));
    auto second = devtools.send("A.b");
    far.receive();
    far.send(frame(R"({"id":2,"result":{}})"));

    CHECK(first.wait_until(soon()).error().code == ErrorCode::too_large);
    CHECK(second.wait_until(soon()).has_value());
}

TEST_CASE("whoever waits is told why the connection has ended") {
    struct Row {
        std::string bytes;
        std::string words;
    };
    const Row rows[] = {
        {"\x88\x02\x03\xe8", "lost it: it closed the connection"},
        {"HTTP/1.1 400 Bad Request\r\n", "lost it: this is no WebSocket: reserved bits are set"},
        {"\x82\x01x", "lost it: this WebSocket sends binary messages"},
        {"", "lost it"},
    };
    for (const Row& row : rows) {
        Far far;
        DevTools devtools(far.wire(), "lost it");
        auto answer = devtools.send("A.b");
        far.receive();

        far.send(row.bytes);
        if (row.bytes.empty()) far.close();

        const auto result = answer.wait_until(soon());
        CHECK(result.error().code == ErrorCode::unavailable);
        CHECK(result.error().message == row.words);
        CHECK_FALSE(devtools.is_open());
        CHECK(devtools.call("A.b", {}, "", soon()).error().message == row.words);
    }
}

TEST_CASE("a connection that is no longer needed is closed in words") {
    Far far;
    {
        const DevTools devtools(far.wire());
    }

    CHECK(far.receive() == "\x03\xe8");
    CHECK(far.last_opcode == 8);
    CHECK(far.receive() == "gone");
}
