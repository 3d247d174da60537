// The owner's end of DATA/quarry.sock. It reads the requests of commands, has them answered, and sends events
// to the commands that follow.
// One io thread moves bytes and never waits for anything else. Requests are answered on other threads, so a
// slow request delays no other command.
// The memory of a connection is bounded: a command that sends too much, or does not read, is cut off.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <sys/types.h>

#include "app/local_socket.h"
#include "app/owner/protocol.h"
#include "base/guarded.h"
#include "base/queues.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

// One command's connection to the owner, as the owner's io thread sees it. It never blocks, and its memory is
// bounded: a command that sends too much or does not read is cut off.

class OwnerConnection {
public:
    enum class State : std::uint8_t {
        greeting,  // the command has sent nothing yet
        ready,     // for the next request
        busy,      // a request is being answered; the next ones wait in the socket
        broken,    // to be removed
    };

    explicit OwnerConnection(Descriptor socket) : socket_(std::move(socket)) {}

    int socket() const { return socket_.get(); }
    State state() const { return state_; }
    void transition_to(State state);
    bool wants_to_read() const { return !at_end_ && (state_ == State::greeting || state_ == State::ready); }
    bool wants_to_write() const { return !output_.empty(); }
    // Every request is answered, and no more can come.
    bool is_done() const {
        return state_ == State::broken || (at_end_ && state_ != State::busy && output_.empty());
    }

    // Reads what has arrived.
    void receive();
    // The next message, if it is complete. A message that is no JSON object breaks the connection.
    std::optional<boost::json::object> next_message();

    void send(const boost::json::object& message);
    // Events give way before answers do: events for which a slow command has no room are counted and left
    // out.
    void send_event(const store::Event& event);
    void flush();

    // Reads no more than the command has sent already. A later send fails at the command's end, so the
    // command knows that it was not heard.
    void stop_reading();

    struct Following {
        std::optional<GroupId> group{};  // nothing: all
        bool pages = false;              // also each page
    };
    void follow(Following following) { following_ = following; }
    bool is_following() const { return following_.has_value(); }
    bool follows(const store::Event& event) const;

private:
    Descriptor socket_;
    State state_ = State::greeting;
    bool at_end_ = false;
    FrameReader input_;
    std::string output_;
    std::optional<Following> following_;
    std::int64_t events_left_out_ = 0;
};

// The owner's end of DATA/quarry.sock. It reads the requests of commands, has them answered, and sends events
// to the commands that follow. One io thread moves bytes and never waits for anything else. Requests are
// answered on other threads, so a slow request delays no other command. A command that does not read is cut
// off.

class OwnerServer {
public:
    // Answers one request. Several calls may run at once, on the server's threads.
    using Handler = std::function<Result<boost::json::value>(const std::string& method,
                                                             const boost::json::object& params)>;

    // Listens before it returns, to this user and to the members of `group`. The caller holds the folder's
    // lock.
    static Result<std::unique_ptr<OwnerServer>> start(const std::string& socket_path, Greeting greeting,
                                                      Handler handler, std::optional<gid_t> group = {});

    // Leaves, if leave() was not called.
    ~OwnerServer();
    OwnerServer(const OwnerServer&) = delete;
    OwnerServer& operator=(const OwnerServer&) = delete;

    // Hands events to the commands that follow. Any thread; never waits.
    void publish(std::span<const store::Event> events);

    // Removes the socket, answers the requests that have come by then, and closes every connection. When it
    // returns, a command without an answer knows that it was not heard, and asks again.
    void leave();

private:
    using ConnectionId = std::uint64_t;
    struct Request {
        ConnectionId from{};
        boost::json::value id{};
        std::string method{};
        boost::json::object params{};
    };
    struct Answer {
        ConnectionId to{};
        boost::json::object message{};
    };
    struct Mail {
        std::vector<Answer> answers{};
        std::vector<store::Event> events{};
        bool leave = false;
    };

    OwnerServer(std::string socket_path, Greeting greeting, Handler handler, std::optional<gid_t> group);
    void run_io();
    void run_requests();
    Result<boost::json::value> handle_in_peace(const Request& request) const;
    void post(const std::function<void(Mail&)>& change);
    void take_mail();
    void begin_to_leave();
    void wait_for_sockets();
    void accept_connections();
    void handle_messages(ConnectionId id, OwnerConnection& connection);
    void handle_greeting(OwnerConnection& connection, const boost::json::object& message);
    void handle_request(ConnectionId id, OwnerConnection& connection, boost::json::object message);
    void forget_done();

    const std::string socket_path_;
    const Greeting greeting_;
    const Handler handler_;
    const std::optional<gid_t> group_;
    Guarded<Mail> mail_;
    WorkQueue<Request> requests_;
    Descriptor wake_;
    std::atomic<bool> is_followed_ = false;

    // These belong to the io thread alone.
    Descriptor listener_;
    ino_t socket_inode_ = 0;
    std::unordered_map<ConnectionId, OwnerConnection> connections_;
    ConnectionId next_id_ = 1;
    bool is_leaving_ = false;
    std::chrono::steady_clock::time_point accepts_from_{};  // no connection before, if descriptors ran out

    std::vector<std::jthread> request_threads_;
    std::jthread io_thread_;
};

}  // namespace quarry::app
