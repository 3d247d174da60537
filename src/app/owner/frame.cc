#include "app/owner/frame.h"

#include <cassert>
#include <cstdint>

#include <fmt/format.h>

namespace quarry::app {
namespace {

constexpr std::size_t head_bytes = 4;

std::size_t length_at(std::string_view head) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < head_bytes; ++i) length = length << 8 | static_cast<unsigned char>(head[i]);
    return length;
}

}  // namespace

std::string frame(std::string_view message) {
    assert(message.size() <= longest_frame);  // Whoever makes a message bounds it.
    std::string bytes;
    bytes.reserve(head_bytes + message.size());
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(message.size() >> shift & 0xff);
    bytes += message;
    return bytes;
}

Result<std::optional<std::string>> FrameReader::next() {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    if (rest.size() < head_bytes) return std::nullopt;
    const std::size_t length = length_at(rest);
    if (length > longest_frame)
        return fail(ErrorCode::too_large, fmt::format("a message of {} bytes is too long", length));
    if (rest.size() < head_bytes + length) return std::nullopt;
    std::string message(rest.substr(head_bytes, length));
    start_ += head_bytes + length;
    // Moving the rest to the front costs its length: only once at least as much has been read.
    if (start_ >= buffer_.size() - start_) {
        buffer_.erase(0, start_);
        start_ = 0;
    }
    return message;
}

}  // namespace quarry::app
