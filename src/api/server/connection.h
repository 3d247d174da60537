// One connection of a client, from its first request to its last. Everything in this file belongs to the
// server's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include "api/server/client_stream.h"
#include "api/server/server.h"

namespace quarry::api {

using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
template <typename T = void>
using Task = boost::asio::awaitable<T, Executor>;

// For a coroutine that checks errors itself.
inline auto with_error(boost::system::error_code& error) {
    return boost::asio::redirect_error(boost::asio::use_awaitable_t<Executor>(), error);
}

// The address as people write it, also if an IPv4 address came mapped into an IPv6 one.
std::string text_of(const boost::asio::ip::address& address);

using UpgradeRequest = boost::beast::http::request<boost::beast::http::empty_body>;

class Connection;
struct ArrivingBody;

// What the connections of a server share.
struct ServerRoom {
    ServerRoom(ServerConfig wanted, Server::Handler answers)
        : config(std::move(wanted)),
          handler(std::move(answers)),
          bodies(std::make_shared<MemoryBudget>(config.max_bodies_bytes, config.max_bodies_bytes_of_owner)),
          unread(
              std::make_shared<MemoryBudget>(config.max_answers_bytes, config.max_answers_bytes_of_owner)) {}

    const ServerConfig config;
    const Server::Handler handler;
    boost::asio::io_context io{1};
    std::set<Connection*> connections;
    const std::shared_ptr<MemoryBudget> bodies, unread;  // of requests; of answers not read yet
    std::set<ArrivingBody*> arriving;
    std::map<std::string, int> streams;  // open ones, by owner
    // An answer that many clients are sent is held once.
    std::map<const std::string*, std::weak_ptr<MemoryBudget::Share>> shared_answers;
    bool is_leaving = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    // No context: without TLS.
    Connection(std::shared_ptr<ServerRoom> room, Socket socket, ClientStream::Context context = {});
    ~Connection();

    // Runs until the client leaves, breaks a rule or takes too long.
    Task<> run();

    // Takes no further request; the one under way is answered.
    void wind_down();
    // Ends the connection at once.
    void abort();

private:
    struct Turn;
    class Pending;

    // Each step returns false if the connection ends with it.
    Task<bool> shake_hands();
    Task<bool> wait_for_request();
    Task<bool> read_head(Turn& turn);
    Task<bool> answer(Turn& turn);
    Task<bool> write(Turn& turn, Response response);

    Task<Result<void>> read_body(Turn& turn, std::uint64_t most_bytes, std::string owner);
    Task<Result<void>> receive(ArrivingBody& body);
    // False if this body itself has to be dropped.
    bool make_room(ArrivingBody& body, std::uint64_t bytes);
    // Null if there is no room for the answer.
    std::shared_ptr<MemoryBudget::Share> hold(const Response& response, const std::string& owner);
    void watch_for_leaving(const std::shared_ptr<Pending>& pending);
    bool has_left();
    Task<> let_go();

    Task<> serve_websocket(UpgradeRequest request, std::string protocol);
    Task<> serve_events(std::vector<Header> headers);
    Task<> await_news();

    const std::shared_ptr<ServerRoom> room_;
    ClientStream stream_;
    mutable Timer signal_;             // cancelled to wake the coroutine that waits
    boost::beast::flat_buffer input_;  // what was read and belongs to the next request
    std::function<void()> close_;      // closes the socket, whichever object holds it
    std::shared_ptr<FollowerQueue> queue_;
    bool is_idle_ = true, is_aborted_ = false;
    bool has_more_to_come_ = false;  // of a body that is not read
};

}  // namespace quarry::api
