// What a WebSocket server sends: the answer that opens it, and frames.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/websocket.h"

namespace {

// All text that was read, with a mark behind each message.
std::string read_in_pieces(std::string_view bytes, std::size_t piece_bytes) {
    quarry::net::WebSocketReader reader;
    std::string read;
    while (!bytes.empty()) {
        std::string_view piece = bytes.substr(0, piece_bytes);
        bytes.remove_prefix(piece.size());
        for (;;) {
            const auto event = reader.next(piece);
            if (!event) return read + '!';
            if (!*event) break;
            read += (*event)->bytes;
            if ((*event)->is_end) read += '|';
        }
        if (!piece.empty()) std::abort();
    }
    return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)quarry::net::check_websocket_answer(text, "dGhlIHNhbXBsZSBub25jZQ==");
    if (read_in_pieces(text, text.size()) != read_in_pieces(text, 1)) std::abort();
    return 0;
}
