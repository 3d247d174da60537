// The sockets of the API: HTTP/1.1, event streams and WebSockets on one thread. It knows nothing of routes,
// and everything that comes in is bounded: sizes, connections, and the time a client may take.
// An Exchange is one request with its answer. A WrappedExchange does more when it is answered than the one
// that it stands for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/server/follower.h"
#include "api/server/message.h"
#include "base/result.h"

namespace quarry::api {

// The sockets of the API: HTTP/1.1, event streams and WebSockets on one thread. It knows nothing of routes,
// and everything that comes in is bounded: sizes, connections, and the time a client may take.

struct ServerConfig {
    std::string address = "127.0.0.1";
    std::uint16_t port = 3002;  // 0: any that is free

    std::string tls_certificate{}, tls_key{};  // files (PEM), read again when they change; none: no TLS

    int max_connections = 10'000;  // more wait until the system refuses them
    // Of one address, or one network of 64 bits, with IPv6. More are closed at once. 0: any number.
    int max_connections_of_address = 0;
    std::function<bool(const std::string& address)> is_trusted{};  // an address that may have any number
    // Of one owner, that stay: WebSockets and streams of events. 0: half of all.
    int max_streams_of_owner = 0;
    // Descriptors that nobody else can take: so many clients are served however many files are open.
    int reserved_descriptors = 0;
    std::function<void(std::string_view)> log{};  // what an operator should know
    std::uint32_t max_header_bytes = 16u << 10;
    std::uint64_t max_bodies_bytes = 256u << 20;  // of all requests under way, as they have come
    std::uint64_t max_bodies_bytes_of_owner = 192u << 20;
    std::uint64_t max_answers_bytes = 512u << 20;  // of all answers and messages that were not read yet
    std::uint64_t max_answers_bytes_of_owner = 128u << 20;
    std::size_t max_waiting_bytes = 4u << 20;          // of messages that a follower has not read
    std::chrono::milliseconds idle_timeout{75'000};    // between two requests
    std::chrono::milliseconds header_timeout{10'000};  // of the request line and the headers
    std::chrono::milliseconds body_timeout{60'000};    // of a body, and of reading an answer
    std::chrono::milliseconds heartbeat{15'000};       // of streams on which nothing happens
};

// One request with its answer. Answered once, by any thread: with a response, or by becoming a follower.
class Exchange {
public:
    // The body is there, or why not: `too_large`, `invalid_argument`, `timeout`, `unavailable` if there is no
    // room for it, `interrupted` if the client has gone. Then it is still to be answered, but nothing more
    // can be read from the client. Called on the server's thread: it must not wait.
    using OnBody = std::move_only_function<void(Result<void>)>;

    virtual ~Exchange() = default;
    // Its body is empty until it was read. It is not touched by others while that goes on.
    virtual const Request& request() const = 0;

    // Whose memory it is that the body and the answer hold. Before either.
    virtual void bill(std::string owner) = 0;
    // Nothing of a body is read before somebody asks for it: at most so much, and at most once. Who answers
    // without it has the connection end there.
    virtual void read_body(std::uint64_t most_bytes, OnBody ready) = 0;
    // Asks to stop once the client has gone, if that takes a moment. On the server's thread: what is called
    // then must not wait.
    virtual std::stop_token gone() const = 0;

    virtual void respond(Response response) = 0;
    // `protocol` is the one of those offered that is taken; "" if none was.
    virtual std::shared_ptr<Follower> accept_websocket(std::string protocol) = 0;
    virtual std::shared_ptr<Follower> begin_events(std::vector<Header> headers) = 0;
};

class Server {
public:
    // Called on the server's thread, as soon as the headers are there: it must not wait. What takes time is
    // done elsewhere and answered later.
    using Handler = std::function<void(std::shared_ptr<Exchange>)>;

    // Listens when it returns. `invalid_argument` for an address that is none; `conflict` if the port is
    // taken.
    static Result<std::unique_ptr<Server>> start(ServerConfig config, Handler handler);

    // Stops at once.
    virtual ~Server() = default;

    virtual std::uint16_t port() const = 0;
    virtual int connections() const = 0;
    // Of bodies and answers.
    virtual std::uint64_t held_bytes() const = 0;

    // Takes no more connections, and waits at most so long for the requests under way to be answered.
    virtual void leave(std::chrono::milliseconds patience) = 0;
};

// An exchange that does more when it is answered than the one that it stands for.

class WrappedExchange : public Exchange {
public:
    explicit WrappedExchange(std::shared_ptr<Exchange> inner) : inner_(std::move(inner)) {}

    const Request& request() const override { return inner_->request(); }
    void bill(std::string owner) override { inner_->bill(std::move(owner)); }
    void read_body(std::uint64_t most_bytes, OnBody ready) override {
        inner_->read_body(most_bytes, std::move(ready));
    }
    std::stop_token gone() const override { return inner_->gone(); }
    void respond(Response response) override { inner_->respond(std::move(response)); }
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override {
        return inner_->accept_websocket(std::move(protocol));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        return inner_->begin_events(std::move(headers));
    }

protected:
    Exchange& inner() const { return *inner_; }

private:
    const std::shared_ptr<Exchange> inner_;
};

}  // namespace quarry::api
