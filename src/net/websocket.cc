#include "net/websocket.h"

#include <algorithm>
#include <array>

namespace quarry::net {
namespace {

constexpr unsigned final_bit = 0x80, reserved_bits = 0x70, opcode_bits = 0x0f, mask_bit = 0x80;
constexpr std::uint64_t longest_control = 125;
constexpr unsigned two_bytes_follow = 126, eight_bytes_follow = 127;

void append_number(std::string& bytes, std::uint64_t number, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
}

std::uint64_t number_in(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
}

constexpr bool is_control(WebSocketOpcode opcode) {
    return opcode >= WebSocketOpcode::close;
}

std::unexpected<Error> wrong(std::string words) {
    return fail(ErrorCode::corrupt, "this is no WebSocket: " + std::move(words));
}

// Of the first two bytes and the length that they announce.
constexpr std::size_t head_bytes(unsigned length_byte) {
    const unsigned length = length_byte & ~mask_bit;
    return length == two_bytes_follow ? 4 : length == eight_bytes_follow ? 10 : 2;
}

}  // namespace

void append_frame(std::string& bytes, WebSocketOpcode opcode, std::string_view payload, std::uint32_t mask) {
    bytes += static_cast<char>(final_bit | static_cast<unsigned>(opcode));
    if (payload.size() <= longest_control) {
        bytes += static_cast<char>(mask_bit | payload.size());
    } else if (payload.size() <= 0xffff) {
        bytes += static_cast<char>(mask_bit | two_bytes_follow);
        append_number(bytes, payload.size(), 2);
    } else {
        bytes += static_cast<char>(mask_bit | eight_bytes_follow);
        append_number(bytes, payload.size(), 8);
    }
    std::string key;
    append_number(key, mask, 4);
    bytes += key;
    for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ key[i % 4]);
}

// False if there is not all of it yet.
Result<bool> WebSocketReader::read_head(std::string_view& bytes) {
    while (head_.size() < 2 || head_.size() < head_bytes(static_cast<unsigned char>(head_[1]))) {
        if (bytes.empty()) return false;
        head_ += bytes.front();
        bytes.remove_prefix(1);
    }
    const auto first = static_cast<unsigned char>(head_[0]), second = static_cast<unsigned char>(head_[1]);
    const std::string_view longer = std::string_view(head_).substr(2);
    left_ = longer.empty() ? second & ~mask_bit : number_in(longer);
    is_final_ = (first & final_bit) != 0;
    opcode_ = static_cast<WebSocketOpcode>(first & opcode_bits);
    if ((first & reserved_bits) != 0) return wrong("reserved bits are set");
    if ((second & mask_bit) != 0) return wrong("a server masks nothing");
    const std::uint64_t least = longer.size() == 2 ? longest_control + 1 : longer.empty() ? 0 : 0x10000;
    if (left_ < least || left_ >> 63 != 0) return wrong("a length is written in the wrong way");
    switch (opcode_) {
        case WebSocketOpcode::continuation:
            if (!is_in_message_) return wrong("nothing is to be continued");
            break;
        case WebSocketOpcode::text:
            if (is_in_message_) return wrong("a message begins inside of another");
            is_in_message_ = true;
            break;
        case WebSocketOpcode::close:
        case WebSocketOpcode::ping:
        case WebSocketOpcode::pong:
            if (!is_final_ || left_ > longest_control) return wrong("a control frame is too long");
            break;
        default:
            if ((first & opcode_bits) == 2)
                return fail(ErrorCode::unsupported, "this WebSocket sends binary messages");
            return wrong("a frame is of an unknown kind");
    }
    head_.clear();
    control_.clear();
    return true;
}

std::optional<WebSocketReader::Event> WebSocketReader::read_control(std::string_view part) {
    control_ += part;
    if (left_ > 0) return std::nullopt;
    is_in_frame_ = false;
    const auto kind = opcode_ == WebSocketOpcode::ping ? Event::Kind::ping : Event::Kind::close;
    return Event{.kind = kind, .bytes = control_, .is_end = true};
}

Result<std::optional<WebSocketReader::Event>> WebSocketReader::next(std::string_view& bytes) {
    for (;;) {
        if (!is_in_frame_) is_in_frame_ = TRY(read_head(bytes));
        if (!is_in_frame_) return std::nullopt;
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
        const std::string_view part = bytes.substr(0, size);
        bytes.remove_prefix(size);
        left_ -= size;
        if (is_control(opcode_)) {
            auto event = read_control(part);
            if (!event) return std::nullopt;
            if (opcode_ != WebSocketOpcode::pong) return event;
            continue;  // nobody asked for it, and nobody may mind
        }
        is_in_frame_ = left_ > 0;
        const bool is_end = !is_in_frame_ && is_final_;
        if (is_end) is_in_message_ = false;
        if (!part.empty() || is_end) return Event{.kind = Event::Kind::text, .bytes = part, .is_end = is_end};
        if (is_in_frame_) return std::nullopt;  // and not an empty fragment, after which there may be more
    }
}

}  // namespace quarry::net
