// A connection whose client follows what happens: as a WebSocket, or a stream of events.
#include <array>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "api/server/connection.h"

namespace quarry::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;

// Of what a client sends while it follows: only control frames are expected.
constexpr std::size_t most_message_bytes = 64u << 10;

}  // namespace

// Returns at the next message, or when it is time for a sign of life.
Task<> Connection::await_news() {
    if (queue_->has_news()) co_return;
    error_code ignored;
    signal_.expires_after(room_->config.heartbeat);
    co_await signal_.async_wait(with_error(ignored));
}

Task<> Connection::serve_websocket(UpgradeRequest request, std::string protocol) {
    struct State {
        explicit State(ClientStream& stream) : socket(stream) {}
        websocket::stream<ClientStream&, false> socket;
        beast::flat_buffer input;
    };
    const auto state = std::make_shared<State>(stream_);
    auto& socket = state->socket;
    stream_.expires_never();
    socket.set_option(websocket::stream_base::timeout{.handshake_timeout = room_->config.header_timeout,
                                                      .idle_timeout = 2 * room_->config.heartbeat,
                                                      .keep_alive_pings = true});
    socket.read_message_max(most_message_bytes);
    if (!protocol.empty()) {
        socket.set_option(websocket::stream_base::decorator([protocol](websocket::response_type& response) {
            response.set(http::field::sec_websocket_protocol, protocol);
        }));
    }
    error_code error;
    co_await socket.async_accept(request, with_error(error));
    request = {};
    if (error) {
        queue_->abandon();
        co_return;
    }
    // Reads what the client sends, which is nothing of interest: but so it is known when it leaves.
    asio::co_spawn(
        signal_.get_executor(),
        [state, self = shared_from_this()]() -> Task<> {
            error_code failed;
            while (!failed) {
                state->input.clear();
                co_await state->socket.async_read(state->input, with_error(failed));
            }
            self->queue_->abandon();
        },
        asio::detached);
    while (!error) {
        FollowerQueue::Taken taken = queue_->take();
        for (const std::string& message : taken.messages) {
            co_await socket.async_write(asio::buffer(message), with_error(error));
            if (error) break;
        }
        if (taken.is_closed && !error) {
            const auto code = taken.is_overrun ? websocket::close_code::policy_error
                                               : static_cast<websocket::close_code>(taken.code);
            co_await socket.async_close(websocket::close_reason(code, taken.reason), with_error(error));
            break;
        }
        if (!error) co_await await_news();
    }
    queue_->abandon();
}

Task<> Connection::serve_events(std::vector<Header> headers) {
    http::response<http::empty_body> head(http::status::ok, 11);
    head.set(http::field::content_type, "text/event-stream");
    head.set(http::field::cache_control, "no-cache");
    for (const Header& header : headers) head.insert(header.name, header.value);
    head.chunked(true);
    http::response_serializer<http::empty_body> serializer(head);
    error_code error;
    stream_.expires_after(room_->config.body_timeout);
    co_await http::async_write_header(stream_, serializer, with_error(error));
    asio::co_spawn(
        signal_.get_executor(),
        [self = shared_from_this()]() -> Task<> {
            error_code failed;
            char rest[256];
            // The socket itself: the stream's time limit is that of the writing.
            while (!failed && self->stream_.socket().is_open())
                co_await self->stream_.socket().async_read_some(asio::buffer(rest), with_error(failed));
            self->queue_->abandon();
        },
        asio::detached);
    while (!error) {
        FollowerQueue::Taken taken = queue_->take();
        std::string text;
        for (const std::string& message : taken.messages) text += "data: " + message + "\n\n";
        if (text.empty() && !taken.is_closed) text = ": still here\n\n";
        stream_.expires_after(room_->config.body_timeout);
        if (!text.empty())
            co_await asio::async_write(stream_, http::make_chunk(asio::buffer(text)), with_error(error));
        if (taken.is_closed) break;
        if (!error) co_await await_news();
    }
    if (!error) co_await asio::async_write(stream_, http::make_chunk_last(), with_error(error));
    queue_->abandon();
    stream_.close();
}

}  // namespace quarry::api
