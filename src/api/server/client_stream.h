// The bytes to and from one client, plain or in TLS. Everything here belongs to the server's thread.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/role.hpp>

namespace boost::asio::ssl {
class context;
}

namespace quarry::api {

// One thread runs everything: the executor is the plain one, and no strand is needed.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;

class ClientStream {
public:
    using executor_type = Executor;
    using Context = std::shared_ptr<boost::asio::ssl::context>;

    // The handler that waits for a transfer. One type holds all handlers: otherwise TLS, and WebSockets on
    // top of it, would be compiled anew for each type of handler.
    class Waiter {
    public:
        using executor_type = Executor;

        template <typename Handler>
        Waiter(Executor executor, Handler handler) : executor_(executor), call_(std::move(handler)) {}

        executor_type get_executor() const noexcept { return executor_; }
        void operator()(boost::system::error_code error, std::size_t bytes) { call_(error, bytes); }

    private:
        Executor executor_;
        std::move_only_function<void(boost::system::error_code, std::size_t)> call_;
    };

    // No context: no TLS.
    ClientStream(Socket socket, Context context);
    ~ClientStream();
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    executor_type get_executor() { return plain_.get_executor(); }
    bool is_encrypted() const { return tls_ != nullptr; }

    // Has to come before anything is read or written if the stream is encrypted.
    template <typename Token>
    auto async_handshake(Token&& token) {
        return wait<&ClientStream::start_handshake>(std::forward<Token>(token));
    }
    // Tells the client that nothing more comes, and waits until the client says the same.
    template <typename Token>
    auto async_shutdown(Token&& token) {
        return wait<&ClientStream::start_shutdown>(std::forward<Token>(token));
    }
    template <typename Buffers, typename Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return wait<&ClientStream::start_reading>(std::forward<Token>(token),
                                                  first_of<boost::asio::mutable_buffer>(buffers));
    }
    template <typename Buffers, typename Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return wait<&ClientStream::start_writing>(std::forward<Token>(token),
                                                  first_of<boost::asio::const_buffer>(buffers));
    }

    // Time-outs as Beast's streams have them.
    template <typename Duration>
    void expires_after(Duration duration) {
        plain_.expires_after(duration);
    }
    void expires_never() { plain_.expires_never(); }
    void cancel() { plain_.cancel(); }
    void close() { plain_.close(); }
    Socket& socket() { return plain_.socket(); }

private:
    struct Tls;
    // A transfer takes at most so many buffers of a message; the rest waits for the next transfer.
    template <typename Buffer>
    using Buffers = std::array<Buffer, 8>;

    template <typename Buffer>
    static Buffers<Buffer> first_of(const auto& buffers) {
        Buffers<Buffer> first;
        auto next = boost::asio::buffer_sequence_begin(buffers);
        const auto end = boost::asio::buffer_sequence_end(buffers);
        for (Buffer& buffer : first) {
            if (next == end) break;
            buffer = *next++;
        }
        return first;
    }

    template <auto start, typename Token, typename... Of>
    auto wait(Token&& token, Of... of) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, const Of&... here) {
                (this->*start)(here..., Waiter(get_executor(), std::move(handler)));
            },
            token, of...);
    }

    void start_handshake(Waiter waiter);
    void start_shutdown(Waiter waiter);
    void start_reading(const Buffers<boost::asio::mutable_buffer>& into, Waiter waiter);
    void start_writing(const Buffers<boost::asio::const_buffer>& from, Waiter waiter);

    const Context context_;  // lives as long as the stream made from it
    boost::beast::basic_stream<boost::asio::ip::tcp, Executor> plain_;
    std::unique_ptr<Tls> tls_;
};

// The functions that Beast's WebSockets need of a stream. A WebSocket has sent its own close frame before, so
// TLS sends nothing more.
void beast_close_socket(ClientStream& stream);
void teardown(boost::beast::role_type role, ClientStream& stream, boost::system::error_code& error);
void start_teardown(boost::beast::role_type role, ClientStream& stream,
                    std::move_only_function<void(boost::system::error_code)> done);
template <typename Handler>
void async_teardown(boost::beast::role_type role, ClientStream& stream, Handler&& handler) {
    start_teardown(role, stream, std::forward<Handler>(handler));
}

}  // namespace quarry::api
