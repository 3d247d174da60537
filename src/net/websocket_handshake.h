// How a WebSocket begins (RFC 6455, section 4): a request of HTTP, and an answer that proves that the other
// side has understood it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace quarry::net {

struct WebSocketRequest {
    std::string host{};        // with its port, as for a Host header
    std::string target = "/";  // path and query
};

// `key` is 16 bytes in base64.
std::string websocket_request(const WebSocketRequest& request, std::string_view key);

// What only a server that knows the protocol says to the key: the value of Sec-WebSocket-Accept.
std::string websocket_proof(std::string_view key);

// `head` ends with the empty line. Fails with `unavailable` if the server says no, `corrupt` if it does not
// know what it was asked.
Result<void> check_websocket_answer(std::string_view head, std::string_view key);

// Asks for it on a connected socket, which must not block. Afterwards the first frame is the next to be read.
// Fails as the answer does, with `timeout` when the time is over, `unavailable` if the other side has gone.
Result<void> begin_websocket(const Descriptor& socket, const WebSocketRequest& request,
                             std::chrono::steady_clock::time_point deadline);

}  // namespace quarry::net
