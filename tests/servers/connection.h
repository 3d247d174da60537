// One client's connection to the test server, at the level of bytes: a hostile answer is often not valid
// HTTP.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page.h"

namespace quarry::test {

struct ServerRequest {
    std::string method{};
    std::string target{};  // as sent: "/path?query", or an absolute URL when we are asked as a proxy
    std::string path{};
    std::vector<Header> headers{};
    std::string body{};
    std::string parameter(std::string_view name) const;  // of the query, percent-decoded; "" if there is none
};

// Does not own the socket: the server closes it, so that it can also end it from outside.
class Connection {
public:
    explicit Connection(int socket) : socket_(socket) {}

    // Nothing when the client has gone or the server stops.
    std::optional<ServerRequest> read_request();

    // False when the client has gone or the server stops. All raw: nothing is added.
    bool send(std::string_view bytes);

    // A complete answer with a matching Content-Length.
    bool respond(int status, const std::vector<Header>& headers, std::string_view body);

    // Status line and headers only, with an empty line behind them.
    bool send_head(int status, const std::vector<Header>& headers);

    // Returns when the client has said something after its last request. False as for send().
    bool wait_for_words() { return !received_.empty() || receive_more(); }

    // Returns when the client closes or the server stops: how to never answer.
    void wait_for_close();

    // Waits that long; false as soon as the client has gone or the server stops.
    bool pause(std::chrono::milliseconds duration);

    // No further request will be read on it.
    void close_after_this() { is_open_ = false; }
    bool is_open() const { return is_open_; }

    // Makes closing send a reset instead of an orderly end.
    void reset();

private:
    bool receive_more();

    int socket_;
    bool is_open_ = true;
    std::string received_;
};

}  // namespace quarry::test
