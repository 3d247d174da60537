// The bytes to and from one client: as they are, or in TLS. Everything here belongs to the server's thread.
#pragma once

#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include "api/tls_files.h"

namespace quarry::api {

// One thread runs everything: the executor is the plain one, and no strand is needed.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;

class ClientStream {
public:
    using executor_type = Executor;
    using Plain = boost::beast::basic_stream<boost::asio::ip::tcp, Executor>;
    using Tls = boost::asio::ssl::stream<Plain&>;
    using Context = std::shared_ptr<boost::asio::ssl::context>;

    // No context: no TLS.
    ClientStream(Socket socket, Context context) : context_(std::move(context)), plain_(std::move(socket)) {
        if (context_) tls_ = std::make_unique<Tls>(plain_, *context_);
    }
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    executor_type get_executor() { return plain_.get_executor(); }
    bool is_encrypted() const { return tls_ != nullptr; }

    // Before anything is read or written, if it is encrypted.
    template <typename Token>
    auto async_handshake(Token&& token) {
        return tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Token>(token));
    }
    // Says that nothing more comes, and waits until the client says so too.
    template <typename Token>
    auto async_shutdown(Token&& token) {
        return tls_->async_shutdown(std::forward<Token>(token));
    }
    template <typename Buffers, typename Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, const Buffers& into) {
                if (tls_)
                    tls_->async_read_some(into, std::move(handler));
                else
                    plain_.async_read_some(into, std::move(handler));
            },
            token, buffers);
    }
    template <typename Buffers, typename Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, const Buffers& from) {
                if (tls_)
                    tls_->async_write_some(from, std::move(handler));
                else
                    plain_.async_write_some(from, std::move(handler));
            },
            token, buffers);
    }

    // As those of Beast's streams.
    template <typename Duration>
    void expires_after(Duration duration) {
        plain_.expires_after(duration);
    }
    void expires_never() { plain_.expires_never(); }
    void cancel() { plain_.cancel(); }
    void close() { plain_.close(); }
    Socket& socket() { return plain_.socket(); }

private:
    const Context context_;  // lives as long as what was made of it
    Plain plain_;
    std::unique_ptr<Tls> tls_;
};

// What Beast's WebSockets want of a stream. The close of a WebSocket has been said before: TLS has nothing to
// add.
inline void beast_close_socket(ClientStream& stream) {
    stream.close();
}
inline void teardown(boost::beast::role_type role, ClientStream& stream, boost::system::error_code& error) {
    boost::beast::websocket::teardown(role, stream.socket(), error);
}
template <typename Handler>
void async_teardown(boost::beast::role_type role, ClientStream& stream, Handler&& handler) {
    boost::beast::websocket::async_teardown(role, stream.socket(), std::forward<Handler>(handler));
}

}  // namespace quarry::api
