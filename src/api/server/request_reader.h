// A request as it comes over the wire. The request line and the headers are read strictly: what two parsers
// could understand differently is refused, since one of them may be a proxy that guards this server (RFC
// 9112, 11.2).
// The body has a length that its head states, or comes in chunks (RFC 9112, 6 and 7). The extensions and
// trailers that a client may add to chunks are bounded and dropped.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include "api/server/message.h"
#include "base/result.h"

namespace quarry::api {

// The body of a request as it comes over the wire: of a length that its head states, or in chunks (RFC 9112,
// 6 and 7). The extensions and trailers that a client may add to chunks are bounded and dropped.

// Where a body ends.
struct BodyFraming {
    std::uint64_t length = 0;
    bool is_chunked = false;  // then the length is not known

    bool has_body() const { return is_chunked || length > 0; }
};

class BodyReader {
public:
    BodyReader(BodyFraming framing, std::uint64_t most_bytes);

    // Takes the bytes that belong to the body, and returns their number. It is less than all only once the
    // body is done. Fails with `too_large`, or with `invalid_argument` if the chunks are malformed; then
    // nothing more may be read from the client.
    Result<std::size_t> take(std::string_view bytes);
    bool is_done() const { return state_ == State::done; }

    // The memory that the body holds, and the memory that it will hold when `more` bytes have come.
    std::uint64_t held_bytes() const { return body_.capacity(); }
    std::uint64_t held_bytes_after(std::size_t more) const;

    std::string& body() { return body_; }
    // Drops the body, which is no longer needed.
    void drop() { body_ = std::string(); }

private:
    enum class State : std::uint8_t {
        content,       // of the length, or of a chunk
        chunk_head,    // the size of a chunk and its extensions, up to the line's end
        chunk_end,     // the line's end behind a chunk
        trailer_line,  // after the last chunk; an empty line is the end
        done
    };

    Result<std::size_t> take_content(std::string_view bytes);
    Result<std::size_t> take_line(std::string_view bytes);
    Result<void> handle_line();
    Result<void> begin_chunk();

    const BodyFraming framing_;
    const std::uint64_t most_bytes_;
    State state_;
    std::uint64_t left_ = 0;      // of the content
    std::uint64_t overhead_ = 0;  // bytes of extensions and trailers so far
    std::string line_;
    std::string body_;
};

// The request line and the headers are read strictly: what two parsers could understand differently is
// refused, since one of them may be a proxy that guards this server (RFC 9112, 11.2).

// Where the head at the beginning of the bytes ends; nothing if its end has not come yet. Searches from
// `seen` on, since the call before has searched the bytes up to there.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t seen);

// The answer to a head that has not ended after as many bytes as a head may have.
Response head_is_too_long(std::string_view bytes);

struct RequestHead {
    boost::beast::http::request<boost::beast::http::empty_body> raw{};
    Request request{};  // without peer and body
    BodyFraming framing{};
    bool keeps_alive = false;
    bool awaits_go_on = false;  // "Expect: 100-continue"
};

// Parses all the bytes of a head. The error is the response to send, after which the connection ends.
std::expected<RequestHead, Response> parse_request_head(std::string_view bytes);

}  // namespace quarry::api
