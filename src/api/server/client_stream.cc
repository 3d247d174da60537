#include "api/server/client_stream.h"

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/teardown.hpp>

namespace quarry::api {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

struct ClientStream::Tls {
    ssl::stream<decltype(ClientStream::plain_)&> stream;
};

ClientStream::ClientStream(Socket socket, Context context)
    : context_(std::move(context)), plain_(std::move(socket)) {
    if (context_) tls_ = std::make_unique<Tls>(ssl::stream<decltype(plain_)&>(plain_, *context_));
}

ClientStream::~ClientStream() = default;

void ClientStream::start_handshake(Waiter waiter) {
    tls_->stream.async_handshake(ssl::stream_base::server, boost::asio::const_buffer(), std::move(waiter));
}

void ClientStream::start_shutdown(Waiter waiter) {
    tls_->stream.async_shutdown([waiter = std::move(waiter)](error_code error) mutable { waiter(error, 0); });
}

void ClientStream::start_reading(const Buffers<boost::asio::mutable_buffer>& into, Waiter waiter) {
    if (tls_)
        tls_->stream.async_read_some(into, std::move(waiter));
    else
        plain_.async_read_some(into, std::move(waiter));
}

void ClientStream::start_writing(const Buffers<boost::asio::const_buffer>& from, Waiter waiter) {
    if (tls_)
        tls_->stream.async_write_some(from, std::move(waiter));
    else
        plain_.async_write_some(from, std::move(waiter));
}

void beast_close_socket(ClientStream& stream) {
    stream.close();
}

void teardown(boost::beast::role_type role, ClientStream& stream, error_code& error) {
    boost::beast::websocket::teardown(role, stream.socket(), error);
}

void start_teardown(boost::beast::role_type role, ClientStream& stream,
                    std::move_only_function<void(error_code)> done) {
    boost::beast::websocket::async_teardown(role, stream.socket(), std::move(done));
}

}  // namespace quarry::api
