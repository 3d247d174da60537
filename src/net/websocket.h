// The client's side of a WebSocket (RFC 6455): the connection is dialled, an HTTP request opens the
// WebSocket, and frames follow. dial() makes a plain TCP connection to a service that the settings name, for
// protocols that curl does not speak. No page has a say in where it leads, so no policy is asked. What is
// sent is masked, what is read is not. No message is kept here: its text is handed on as it comes, and the
// caller says how much is too much.
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

struct Dialled {
    Descriptor socket{};  // does not block
    Address peer{};       // who answered
};

// `host` is a name or an address, as url::Url has it. The socket notices within half a minute that the other
// side has gone without a word. Fails with `not_found` if the name leads nowhere, with `unavailable` if
// nothing answers, or with `timeout`.
Result<Dialled> dial(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout);

enum class WebSocketOpcode : std::uint8_t {
    continuation = 0x0,
    text = 0x1,
    close = 0x8,
    ping = 0x9,
    pong = 0xA,
};

// A whole message, or a control frame of at most 125 bytes. The mask must be impossible to guess (section
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

    // Removes what it has read from the front of `bytes`. Returns nothing when they hold no more. Fails with
    // `corrupt` if the bytes are not WebSocket frames, and with `unsupported` for messages that are not text:
    // nothing sensible can be read from that connection any more.
    Result<std::optional<Event>> next(std::string_view& bytes);

private:
    Result<bool> read_head(std::string_view& bytes);
    std::optional<Event> read_control(std::string_view part);

    std::string head_;  // the part of it that has come
    bool is_in_frame_ = false;
    bool is_in_message_ = false;  // fragments follow
    bool is_final_ = false;
    WebSocketOpcode opcode_ = WebSocketOpcode::text;
    std::uint64_t left_ = 0;  // of the frame's payload
    std::string control_;
};

// How a WebSocket begins (RFC 6455, section 4): an HTTP request, and an answer that proves that the other
// side has understood it.

struct WebSocketRequest {
    std::string host{};        // with its port, as for a Host header
    std::string target = "/";  // path and query
};

// `key` is 16 bytes in base64.
std::string websocket_request(const WebSocketRequest& request, std::string_view key);

// The answer to the key that only a server which knows the protocol gives: the value of Sec-WebSocket-Accept.
std::string websocket_proof(std::string_view key);

// `head` ends with the empty line. Fails with `unavailable` if the server declines, and with `corrupt` if it
// has not understood the request.
Result<void> check_websocket_answer(std::string_view head, std::string_view key);

// Opens the WebSocket on a connected socket, which must not block. Afterwards the first frame is the next to
// be read. Fails as the answer does, with `timeout` when the time is over, and with `unavailable` if the
// other side has gone.
Result<void> begin_websocket(const Descriptor& socket, const WebSocketRequest& request,
                             std::chrono::steady_clock::time_point deadline);

}  // namespace quarry::net
