// A certificate and its key, in files that are replaced while the server runs.
#include "api/server/server.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "api/server/connection.h"
#include "base/descriptors.h"
#include "base/result.h"
#include "base/threads.h"

namespace quarry::api {

namespace ssl = boost::asio::ssl;

// Of one thread.
class TlsFiles {
public:
    using Context = std::shared_ptr<boost::asio::ssl::context>;
    using Log = std::function<void(std::string_view)>;

    // PEM; the certificate with those that lead to its root. `invalid_argument` if they cannot be used.
    static Result<TlsFiles> open(const std::string& certificate, const std::string& key, Log log);

    // For a new connection: TLS 1.2 or 1.3. The files are looked at once a second; if what is there now
    // cannot be used, the log says so, and what was there before goes on.
    Context current();

private:
    using FileTime = std::filesystem::file_time_type;
    struct Times {
        FileTime certificate{}, key{};
        bool operator==(const Times&) const = default;
    };
    TlsFiles(std::string certificate, std::string key, Log log)
        : certificate_(std::move(certificate)), key_(std::move(key)), log_(std::move(log)) {}
    Result<Context> read() const;
    Times times() const;

    std::string certificate_, key_;
    Log log_;
    Context context_;
    Times times_;
    std::chrono::steady_clock::time_point looked_at_{};
};

Result<TlsFiles> TlsFiles::open(const std::string& certificate, const std::string& key, Log log) {
    TlsFiles files(certificate, key, std::move(log));
    files.times_ = files.times();
    files.context_ = TRY(files.read());
    return files;
}

TlsFiles::Context TlsFiles::current() {
    constexpr std::chrono::seconds between_looks{1};
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_at_ < between_looks) return context_;
    looked_at_ = now;
    const Times seen = times();
    if (seen == times_) return context_;
    // Two files are not replaced at one moment: what does not fit together yet is looked at again.
    auto fresh = read();
    if (fresh) {
        times_ = seen;
        context_ = *std::move(fresh);
        if (log_) log_("api: the certificate was read again");
    } else if (log_) {
        log_(fmt::format("api: the certificate stays the one of before: {}", fresh.error().message));
    }
    return context_;
}

TlsFiles::Times TlsFiles::times() const {
    std::error_code ignored;
    return {.certificate = std::filesystem::last_write_time(certificate_, ignored),
            .key = std::filesystem::last_write_time(key_, ignored)};
}

Result<TlsFiles::Context> TlsFiles::read() const {
    boost::system::error_code error;
    const auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    const auto refused = [&](const std::string& file) {
        return fail(ErrorCode::invalid_argument, fmt::format("{} cannot be used: {}", file, error.message()));
    };
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);  // what is idle holds little
    // Nobody is there to be asked for the password of a key: one that has one cannot be used.
    const auto no_password = [](std::size_t, ssl::context::password_purpose) { return std::string(); };
    context->set_password_callback(no_password, error);
    if (error) return refused(key_);
    context->use_certificate_chain_file(certificate_, error);
    if (error) return refused(certificate_);
    context->use_private_key_file(key_, ssl::context::pem, error);
    if (error) return refused(key_);
    if (SSL_CTX_check_private_key(context->native_handle()) != 1)
        return fail(ErrorCode::invalid_argument, fmt::format("{} is not the key of {}", key_, certificate_));
    return context;
}

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
    std::uint64_t held_bytes() const override { return room_->bodies->used() + room_->unread->used(); }
    void leave(std::chrono::milliseconds patience) override;

private:
    Task<> accept();
    Task<> accept_one();
    bool begin(Socket socket);
    void fill_reserve();
    void say(std::string_view line) const {
        if (room_->config.log) room_->config.log(line);
    }

    const std::shared_ptr<ServerRoom> room_;
    Acceptor acceptor_;
    Timer patience_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_ = 0;
    std::map<std::string, int> connections_of_;  // by what an address counts as
    std::vector<Descriptor> reserve_;
    std::optional<TlsFiles> tls_;
    bool has_said_full_ = false, has_said_none_left_ = false;
    std::string said_crowded_;  // the address that was told last to have too many
    std::jthread thread_;
};

// Of IPv6 a client has a whole network to choose addresses from.
std::string counted_address(const asio::ip::address& address) {
    if (address.is_v4() || address.to_v6().is_v4_mapped()) return text_of(address);
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return asio::ip::address_v6(bytes).to_string();
}

Result<void> AsioServer::listen() {
    const ServerConfig& config = room_->config;
    error_code error;
    if (!config.tls_certificate.empty())
        tls_ = TRY(TlsFiles::open(config.tls_certificate, config.tls_key, config.log));
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
    fill_reserve();
    asio::co_spawn(room_->io.get_executor(), accept(), asio::detached);
    thread_ = std::jthread([this] {
        name_this_thread("api io");
        while (true) {
            try {
                room_->io.run();
                return;
            } catch (const std::exception& failure) {
                // What one connection could not get, memory for instance, is no reason to leave the others.
                say(fmt::format("a connection was given up: {}", failure.what()));
            }
        }
    });
    return {};
}

void AsioServer::fill_reserve() {
    while (std::ssize(reserve_) < room_->config.reserved_descriptors) {
        Descriptor kept(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (!kept.is_open()) return;
        reserve_.push_back(std::move(kept));
    }
}

Task<> AsioServer::accept() {
    while (acceptor_.is_open()) {
        try {
            co_await accept_one();
        } catch (const std::exception& error) {
            say(fmt::format("a client was not accepted: {}", error.what()));
        }
    }
}

Task<> AsioServer::accept_one() {
    constexpr std::chrono::milliseconds breath{50};
    error_code error;
    Socket socket(room_->io.get_executor());
    const bool is_full = connections_ >= room_->config.max_connections;
    if (is_full)
        error = asio::error::no_descriptors;
    else
        co_await acceptor_.async_accept(socket, with_error(error));
    if (!error && begin(std::move(socket))) co_return;
    if (!acceptor_.is_open()) co_return;
    const bool has_none_left = !is_full && error == asio::error::no_descriptors;
    if (has_none_left && !std::exchange(has_said_none_left_, true))
        say("no descriptor is left for a client: raise the limit of open files (ulimit -n)");
    if (is_full && !std::exchange(has_said_full_, true))
        say(fmt::format("{} clients are connected, as many as there is room for: others wait",
                        room_->config.max_connections));
    if (has_none_left && !reserve_.empty()) {
        reserve_.pop_back();
        co_return;
    }
    if (!error) co_return;
    // Those who wait are taken when others have left.
    Timer timer(room_->io.get_executor());
    timer.expires_after(breath);
    co_await timer.async_wait(with_error(error));
}

// False if it may not have one more.
bool AsioServer::begin(Socket socket) {
    const ServerConfig& config = room_->config;
    error_code error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return false;
    const std::string address = counted_address(peer.address());
    const bool is_counted = config.max_connections_of_address > 0 &&
                            !(config.is_trusted && config.is_trusted(text_of(peer.address())));
    if (is_counted && connections_of_[address] >= config.max_connections_of_address) {
        if (std::exchange(said_crowded_, address) != address)
            say(fmt::format("{} has {} connections, as many as one address may have: others of it are closed",
                            address, config.max_connections_of_address));
        return false;
    }
    const auto leave = [this, address, is_counted](void*) {
        const auto counted = connections_of_.find(address);
        if (is_counted && --counted->second == 0) connections_of_.erase(counted);
        fill_reserve();
        if (--connections_ == 0 && room_->is_leaving) patience_.cancel();
    };
    if (is_counted) ++connections_of_[address];
    ++connections_;
    const std::shared_ptr<void> place(this, leave);
    const auto connection =
        std::make_shared<Connection>(room_, std::move(socket), tls_ ? tls_->current() : nullptr);
    asio::co_spawn(
        room_->io.get_executor(), [connection]() -> Task<> { co_await connection->run(); },
        [place](std::exception_ptr) {});
    return true;
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
