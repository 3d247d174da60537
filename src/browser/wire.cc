#include "browser/wire.h"

#include <random>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/websocket.h"

namespace quarry::browser {
namespace {

using net::WebSocketOpcode;

void never_block(const Descriptor& file) {
    fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

class PipeWire final : public Wire {
public:
    PipeWire(Descriptor to_browser, Descriptor from_browser)
        : to_browser_(std::move(to_browser)), from_browser_(std::move(from_browser)) {
        never_block(to_browser_);
        never_block(from_browser_);
    }

    int reading_end() const override { return from_browser_.get(); }
    int writing_end() const override { return to_browser_.get(); }
    ssize_t read(std::span<char> room) override {
        return ::read(from_browser_.get(), room.data(), room.size());
    }
    ssize_t write(std::string_view bytes) override {
        return ::write(to_browser_.get(), bytes.data(), bytes.size());
    }

    void append(std::string& outgoing, std::string_view message) const override {
        outgoing += message;
        outgoing += '\0';
    }
    Result<std::optional<Part>> take(std::string_view& bytes, std::string&) override {
        if (bytes.empty()) return std::nullopt;
        const auto end = bytes.find('\0');
        const Part part{.text = bytes.substr(0, end), .is_end = end != std::string_view::npos};
        bytes.remove_prefix(part.text.size() + (part.is_end ? 1 : 0));
        return part;
    }
    std::string farewell() const override { return {}; }

private:
    Descriptor to_browser_, from_browser_;
};

std::uint32_t new_mask() {
    return std::random_device()();
}

class WebSocketWire final : public Wire {
public:
    explicit WebSocketWire(Descriptor socket) : socket_(std::move(socket)) { never_block(socket_); }

    int reading_end() const override { return socket_.get(); }
    int writing_end() const override { return socket_.get(); }
    ssize_t read(std::span<char> room) override { return recv(socket_.get(), room.data(), room.size(), 0); }
    ssize_t write(std::string_view bytes) override {
        return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

    void append(std::string& outgoing, std::string_view message) const override {
        net::append_frame(outgoing, WebSocketOpcode::text, message, new_mask());
    }
    Result<std::optional<Part>> take(std::string_view& bytes, std::string& replies) override {
        using Kind = net::WebSocketReader::Event::Kind;
        for (;;) {
            const auto event = TRY(reader_.next(bytes));
            if (!event) return std::nullopt;
            switch (event->kind) {
                case Kind::text: return Part{event->bytes, event->is_end};
                case Kind::ping:
                    net::append_frame(replies, WebSocketOpcode::pong, event->bytes, new_mask());
                    break;
                case Kind::close: return fail(ErrorCode::unavailable, "it closed the connection");
            }
        }
    }
    // 1000: all is done (RFC 6455, 7.4.1).
    std::string farewell() const override {
        std::string bytes;
        net::append_frame(bytes, WebSocketOpcode::close, "\x03\xe8", new_mask());
        return bytes;
    }

private:
    Descriptor socket_;
    net::WebSocketReader reader_;
};

}  // namespace

std::unique_ptr<Wire> pipe_wire(Descriptor to_browser, Descriptor from_browser) {
    return std::make_unique<PipeWire>(std::move(to_browser), std::move(from_browser));
}

std::unique_ptr<Wire> websocket_wire(Descriptor socket) {
    return std::make_unique<WebSocketWire>(std::move(socket));
}

}  // namespace quarry::browser
