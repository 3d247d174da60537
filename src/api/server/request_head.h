// The request line and the headers, read strictly: what two readers could understand differently is refused,
// since one of them may be a proxy that keeps strangers away (RFC 9112, 11.2).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include "api/server/request_reader.h"
#include "api/server/message.h"

namespace quarry::api {

// Where the head ends that the bytes begin with; nothing if its end has not come yet. Looks only at what
// comes from `seen` on, which the call before has looked at.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t seen);

// What is answered to a head that is still not at its end with as many bytes as a head may have.
Response head_is_too_long(std::string_view bytes);

struct RequestHead {
    boost::beast::http::request<boost::beast::http::empty_body> raw{};
    Request request{};  // without the peer and the body
    BodyFraming framing{};
    bool keeps_alive = false;
    bool awaits_go_on = false;  // "Expect: 100-continue"
};

// Of all the bytes of a head. The answer is what is said instead; the connection ends with it.
std::expected<RequestHead, Response> parse_request_head(std::string_view bytes);

}  // namespace quarry::api
