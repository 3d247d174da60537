#include "api/server.h"

#include <atomic>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "api/connection.h"
#include "base/thread_name.h"

namespace quarry::api {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

class AsioServer : public Server {
public:
    AsioServer(ServerConfig config, Handler handler)
        : room_(std::make_shared<ServerRoom>(std::move(config), std::move(handler))),
          acceptor_(room_->io.get_executor()),
          patience_(room_->io.get_executor()) {}
    ~AsioServer() override { leave(std::chrono::milliseconds(0)); }

    Result<void> listen();
    std::uint16_t port() const override { return port_; }
    int connections() const override { return connections_; }
    void leave(std::chrono::milliseconds patience) override;

private:
    Task<> accept();
    void begin(Socket socket);

    const std::shared_ptr<ServerRoom> room_;
    Acceptor acceptor_;
    Timer patience_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_ = 0;
    std::jthread thread_;
};

Result<void> AsioServer::listen() {
    const ServerConfig& config = room_->config;
    error_code error;
    const auto address = asio::ip::make_address(config.address, error);
    if (error)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("\"{}\" is no address to listen on: use 127.0.0.1, 0.0.0.0 or [::]", config.address));
    const asio::ip::tcp::endpoint endpoint(address, config.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(1'024, error);
    if (error)
        return fail(error == asio::error::address_in_use ? ErrorCode::conflict : ErrorCode::unavailable,
                    fmt::format("cannot listen on {}:{}: {}", config.address, config.port, error.message()));
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(room_->io.get_executor(), accept(), asio::detached);
    thread_ = std::jthread([this] {
        name_this_thread("api io");
        room_->io.run();
    });
    return {};
}

Task<> AsioServer::accept() {
    constexpr auto token = [](error_code& error) {
        return asio::redirect_error(asio::use_awaitable_t<Executor>(), error);
    };
    constexpr std::chrono::milliseconds breath{50};
    Timer timer(room_->io.get_executor());
    while (acceptor_.is_open()) {
        error_code error;
        Socket socket(room_->io.get_executor());
        if (connections_ < room_->config.max_connections)
            co_await acceptor_.async_accept(socket, token(error));
        else
            error = asio::error::no_descriptors;
        if (!error) {
            begin(std::move(socket));
        } else if (acceptor_.is_open()) {
            // Too many, or no more descriptors: those who wait are taken when others have left.
            timer.expires_after(breath);
            co_await timer.async_wait(token(error));
        }
    }
}

void AsioServer::begin(Socket socket) {
    ++connections_;
    const auto connection = std::make_shared<Connection>(room_, std::move(socket));
    asio::co_spawn(
        room_->io.get_executor(), [connection]() -> Task<> { co_await connection->run(); },
        [this](std::exception_ptr) {
            if (--connections_ == 0 && room_->is_leaving) patience_.cancel();
        });
}

// The thread ends by itself once nothing is left to wait for.
void AsioServer::leave(std::chrono::milliseconds patience) {
    if (!thread_.joinable()) return;
    asio::post(room_->io.get_executor(), [this, patience] {
        error_code ignored;
        acceptor_.close(ignored);
        room_->is_leaving = true;
        const auto each = [this](void (Connection::*what)()) {
            const auto connections = room_->connections;
            for (Connection* connection : connections) (connection->*what)();
        };
        each(patience.count() > 0 ? &Connection::wind_down : &Connection::abort);
        if (connections_ == 0) return;
        patience_.expires_after(patience);
        patience_.async_wait([each](error_code) { each(&Connection::abort); });
    });
    thread_.join();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Handler handler) {
    auto server = std::make_unique<AsioServer>(std::move(config), std::move(handler));
    TRY(server->listen());
    return server;
}

}  // namespace quarry::api
