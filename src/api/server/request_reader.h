// A request as it comes over the wire. The request line and the headers are read strictly: what two readers
// could understand differently is refused, since one of them may be a proxy that guards this server (RFC
// 9112, 11.2).
// The body has a length that was said before, or comes in chunks (RFC 9112, 6 and 7). What a client may add
// to chunks, extensions and trailers, is bounded and dropped.
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

// The body of a request as it comes over the wire, of a length that was said before or in chunks (RFC 9112,
// 6 and 7). Everything that a client may add to chunks is bounded and dropped: extensions and trailers.

// Where a body ends.
struct BodyFraming {
    std::uint64_t length = 0;
    bool is_chunked = false;  // then the length is not known

    bool has_body() const { return is_chunked || length > 0; }
};

class BodyReader {
public:
    BodyReader(BodyFraming framing, std::uint64_t most_bytes);

    // How many of these bytes belong to the body; those are taken. Less than all only once it is done. Fails
    // with `too_large`, or `invalid_argument` for what are no chunks; then nothing more may be read from the
    // client.
    Result<std::size_t> take(std::string_view bytes);
    bool is_done() const { return state_ == State::done; }

    // The memory that it holds, and will hold if so many more bytes come.
    std::uint64_t held_bytes() const { return body_.capacity(); }
    std::uint64_t held_bytes_after(std::size_t more) const;

    std::string& body() { return body_; }
    // Nobody wants it any more.
    void drop() { body_ = std::string(); }

private:
    enum class State : std::uint8_t {
        content,       // of the length, or of a chunk
        chunk_head,    // the size of a chunk and its extensions, up to the line's end
        chunk_end,     // the line's end behind a chunk
        trailer_line,  // behind the last chunk; an empty one is the end
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

// The request line and the headers, read strictly: what two readers could understand differently is refused,
// since one of them may be a proxy that keeps strangers away (RFC 9112, 11.2).

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
