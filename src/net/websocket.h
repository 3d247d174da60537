// A WebSocket (RFC 6455) as a client has it: the connection is dialled, a request of HTTP begins it, and
// frames follow. dial() makes a plain TCP connection to a service that the settings name, for protocols
// that curl does not speak; no page has a say in where it leads, so no policy is asked. What is sent is
// masked, what is read is not. Of a message nothing is kept here: its text is handed on as it comes, and
// the caller says how much is too much.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptors.h"
#include "base/result.h"
#include "net/address.h"

namespace quarry::net {

// A plain TCP connection to a service that the settings name: for protocols that curl does not speak. No page
// has a say in where it leads, so no policy is asked.

struct Dialled {
    Descriptor socket{};  // does not block
    Address peer{};       // who answered
};

// `host` is a name or an address, as url::Url has it. The socket notices within half a minute that the other
// side has gone without a word. Fails with `not_found` if the name leads nowhere, `unavailable` if nobody
// answers, `timeout`.
Result<Dialled> dial(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout);

// Frames of a WebSocket (RFC 6455) as a client has them: what it sends is masked, what it reads is not. Of a
// message nothing is kept here: its text is handed on as it comes, and whoever collects it says how much is
// too much.

enum class WebSocketOpcode : std::uint8_t {
    continuation = 0x0,
    text = 0x1,
    close = 0x8,
    ping = 0x9,
    pong = 0xA,
};

// A whole message, or a control frame of at most 125 bytes. Nobody may be able to guess the mask (section
// 10.3).
void append_frame(std::string& bytes, WebSocketOpcode opcode, std::string_view payload, std::uint32_t mask);

// Reads what a server sends, in whatever pieces it comes.
class WebSocketReader {
public:
    struct Event {
        enum class Kind : std::uint8_t {
            text,  // the next part of a message
            ping,  // to be answered by a pong with the same bytes
            close,
        };
        Kind kind = Kind::text;
        std::string_view bytes{};  // until the next call
        bool is_end = false;       // of the message
    };

    // Removes what it has read from the front of `bytes`. Nothing when there is no more in them. Fails with
    // `corrupt` if a WebSocket does not speak like that, and with `unsupported` for messages that are not
    // text: nothing sensible can be read from that connection any more.
    Result<std::optional<Event>> next(std::string_view& bytes);

private:
    Result<bool> read_head(std::string_view& bytes);
    std::optional<Event> read_control(std::string_view part);

    std::string head_;  // as much as there is of it
    bool is_in_frame_ = false;
    bool is_in_message_ = false;  // fragments follow
    bool is_final_ = false;
    WebSocketOpcode opcode_ = WebSocketOpcode::text;
    std::uint64_t left_ = 0;  // of the frame's payload
    std::string control_;
};

// How a WebSocket begins (RFC 6455, section 4): a request of HTTP, and an answer that proves that the other
// side has understood it.

struct WebSocketRequest {
    std::string host{};        // with its port, as for a Host header
    std::string target = "/";  // path and query
};

// `key` is 16 bytes in base64.
std::string websocket_request(const WebSocketRequest& request, std::string_view key);

// What only a server that knows the protocol says to the key: the value of Sec-WebSocket-Accept.
std::string websocket_proof(std::string_view key);

// `head` ends with the empty line. Fails with `unavailable` if the server says no, `corrupt` if it does not
// know what it was asked.
Result<void> check_websocket_answer(std::string_view head, std::string_view key);

// Asks for it on a connected socket, which must not block. Afterwards the first frame is the next to be read.
// Fails as the answer does, with `timeout` when the time is over, `unavailable` if the other side has gone.
Result<void> begin_websocket(const Descriptor& socket, const WebSocketRequest& request,
                             std::chrono::steady_clock::time_point deadline);

}  // namespace quarry::net
