// A client that sends bytes as they are, for requests that no decent client would send.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::test {

class RawClient {
public:
    // Connected to 127.0.0.1, or the test fails.
    explicit RawClient(std::uint16_t port);
    ~RawClient();
    RawClient(RawClient&& other) noexcept;
    RawClient& operator=(RawClient&&) = delete;

    // False once the server has hung up. It may hang up before all is sent.
    bool send(std::string_view bytes);
    // All that came so far, with as much more as it takes for `end` to be in it; less if the server hangs up.
    const std::string& read_until(std::string_view end);
    // All that comes until the server hangs up.
    const std::string& read_all();
    // Whether the server has hung up. Reads nothing.
    bool is_hung_up() const;

private:
    int socket_;
    std::string received_;
};

// The request of a WebSocket.
std::string websocket_request(std::string_view path, std::string_view protocol);

}  // namespace quarry::test
