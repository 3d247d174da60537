// What a program asks of a proxy: the head of its request, read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::net {

enum class ProxyRequestKind {
    tunnel,  // CONNECT: bytes to and fro, whatever they are
    http,    // a request for http://…, to be passed on
};

struct ProxyRequest {
    ProxyRequestKind kind = ProxyRequestKind::tunnel;
    std::string host{};  // as url::Url writes it
    std::uint16_t port = 0;
    std::string head{};  // what the server is to be sent, for http
    std::uint64_t body_bytes =
        0;  // that follow the head; with chunks nobody knows, and it is the most there is
};

// `head` ends with the empty line. Fails with `invalid_argument` if it is anything but a request to a proxy:
// a browser elsewhere on the machine that was led to this port would send other ones.
Result<ProxyRequest> parse_proxy_request(std::string_view head);

// Where the first head in the text ends, behind its empty line; 0 if it does not.
std::size_t end_of_head(std::string_view text);

struct ProxyResponse {
    bool is_interim = false;  // another head follows: 100, 103
    std::string head{};       // as the browser is to be sent it: it will not use the connection again
};

// Fails with `corrupt` if it is no head of an answer.
Result<ProxyResponse> parse_proxy_response(std::string_view head);

}  // namespace quarry::net
