// The sockets of the API: HTTP/1.1, event streams and WebSockets on one thread. It knows nothing of routes,
// and everything that comes in is bounded: sizes, connections, and the time a client may take.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/follower.h"
#include "api/message.h"
#include "base/result.h"

namespace quarry::api {

struct ServerConfig {
    std::string address = "127.0.0.1";
    std::uint16_t port = 3002;  // 0: any that is free

    int max_connections = 10'000;  // more wait until the system refuses them
    std::uint32_t max_header_bytes = 16u << 10;
    std::uint64_t max_body_bytes = 64u << 20;          // of one request; routes may take less
    std::uint64_t max_bodies_bytes = 256u << 20;       // of all requests under way
    std::size_t max_waiting_bytes = 4u << 20;          // of messages that a follower has not read
    std::chrono::milliseconds idle_timeout{75'000};    // between two requests
    std::chrono::milliseconds header_timeout{10'000};  // of the request line and the headers
    std::chrono::milliseconds body_timeout{60'000};    // of a body, and of reading an answer
    std::chrono::milliseconds heartbeat{15'000};       // of streams on which nothing happens
};

// One request with its answer. Answered once, by any thread: with a response, or by becoming a follower.
class Exchange {
public:
    virtual ~Exchange() = default;
    virtual const Request& request() const = 0;

    virtual void respond(Response response) = 0;
    // `protocol` is the one of those offered that is taken; "" if none was.
    virtual std::shared_ptr<Follower> accept_websocket(std::string protocol) = 0;
    virtual std::shared_ptr<Follower> begin_events(std::vector<Header> headers) = 0;
};

class Server {
public:
    // Called on the server's thread: it must not wait. What takes time is done elsewhere and answered later.
    using Handler = std::function<void(std::shared_ptr<Exchange>)>;

    // Listens when it returns. `invalid_argument` for an address that is none; `conflict` if the port is
    // taken.
    static Result<std::unique_ptr<Server>> start(ServerConfig config, Handler handler);

    // Stops at once.
    virtual ~Server() = default;

    virtual std::uint16_t port() const = 0;
    virtual int connections() const = 0;

    // Takes no more connections, and waits at most so long for the requests under way to be answered.
    virtual void leave(std::chrono::milliseconds patience) = 0;
};

}  // namespace quarry::api
