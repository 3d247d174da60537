// Frames of a WebSocket (RFC 6455) as a client has them: what it sends is masked, what it reads is not. Of a
// message nothing is kept here: its text is handed on as it comes, and whoever collects it says how much is
// too much.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::net {

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

}  // namespace quarry::net
