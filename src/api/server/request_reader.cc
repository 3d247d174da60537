#include "api/server/request_reader.h"

#include <algorithm>
#include <charconv>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "api/server/message.h"
#include "base/ascii.h"

namespace quarry::api {

namespace {

constexpr std::size_t longest_size = 16;  // in hexadecimal digits
constexpr std::size_t longest_line = 4u << 10;
// Of what stands in the lines besides sizes, over a whole body.
constexpr std::uint64_t most_overhead = 16u << 10;

std::unexpected<Error> no_chunks(std::string_view why) {
    return fail(ErrorCode::invalid_argument, "the body is not in chunks: " + std::string(why));
}

std::unexpected<Error> too_large() {
    return fail(ErrorCode::too_large, "the body is too large");
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

}  // namespace

BodyReader::BodyReader(BodyFraming framing, std::uint64_t most_bytes)
    : framing_(framing),
      most_bytes_(most_bytes),
      state_(framing.is_chunked   ? State::chunk_head
             : framing.length > 0 ? State::content
                                  : State::done),
      left_(framing.is_chunked ? 0 : framing.length) {}

std::uint64_t BodyReader::held_bytes_after(std::size_t more) const {
    const std::uint64_t needed = body_.size() + more;
    if (needed <= body_.capacity()) return body_.capacity();
    const std::uint64_t most = framing_.is_chunked ? most_bytes_ : framing_.length;
    return std::max(needed, std::min<std::uint64_t>(2 * body_.capacity(), most));
}

Result<std::size_t> BodyReader::take(std::string_view bytes) {
    if (!framing_.is_chunked && framing_.length > most_bytes_) return too_large();
    std::size_t taken = 0;
    while (state_ != State::done && taken < bytes.size()) {
        const std::string_view rest = bytes.substr(taken);
        taken += TRY(state_ == State::content ? take_content(rest) : take_line(rest));
    }
    return taken;
}

Result<std::size_t> BodyReader::take_content(std::string_view bytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    if (body_.size() + count > body_.capacity()) body_.reserve(held_bytes_after(count));
    body_.append(bytes.substr(0, count));
    left_ -= count;
    if (left_ == 0) state_ = framing_.is_chunked ? State::chunk_end : State::done;
    return count;
}

Result<std::size_t> BodyReader::take_line(std::string_view bytes) {
    const std::size_t end = bytes.find('\n');
    const std::size_t count = end == std::string_view::npos ? bytes.size() : end + 1;
    if (line_.size() + count > longest_line) return no_chunks("a line between them is too long");
    line_.append(bytes.substr(0, count));
    if (end != std::string_view::npos) TRY(handle_line());
    return count;
}

Result<void> BodyReader::handle_line() {
    if (!line_.ends_with("\r\n")) return no_chunks("a line ends without a carriage return");
    line_.resize(line_.size() - 2);
    if (std::ranges::any_of(line_, is_control)) return no_chunks("there is a control character between them");
    if (state_ == State::chunk_head) {
        TRY(begin_chunk());
    } else if (state_ == State::chunk_end) {
        if (!line_.empty()) return no_chunks("one is longer than its size");
        state_ = State::chunk_head;
    } else {
        overhead_ += line_.size() + 2;
        if (overhead_ > most_overhead) return no_chunks("the trailers are too long");
        if (line_.empty()) state_ = State::done;
    }
    line_.clear();
    return {};
}

Result<void> BodyReader::begin_chunk() {
    std::uint64_t size = 0;
    const char* const last = line_.data() + line_.size();
    const auto read = std::from_chars(line_.data(), last, size, 16);
    if (read.ec != std::errc()) return no_chunks("a size is not a hexadecimal number");
    const std::string_view extension(read.ptr, last);
    if (!extension.empty() && trimmed(extension).substr(0, 1) != ";")
        return no_chunks("something else than a size stands before one");
    overhead_ += line_.size() - std::min(line_.size(), longest_size);
    if (overhead_ > most_overhead) return no_chunks("their extensions are too long");
    if (size > most_bytes_ - body_.size()) return too_large();
    left_ = size;
    state_ = size > 0 ? State::content : State::trailer_line;
    return {};
}

namespace {

namespace http = boost::beast::http;
using Refusal = std::unexpected<Response>;

Refusal refused(std::string_view why) {
    return Refusal(reply_error(400, "BAD_REQUEST", "this is no HTTP request: " + std::string(why)));
}

Method method_of(http::verb verb) {
    switch (verb) {
        case http::verb::get: return Method::get;
        case http::verb::post: return Method::post;
        case http::verb::put: return Method::put;
        case http::verb::patch: return Method::patch;
        case http::verb::delete_: return Method::del;
        case http::verb::options: return Method::options;
        case http::verb::head: return Method::head;
        default: return Method::other;
    }
}

// A header that goes on in the next line. Some readers take that for a header of its own.
bool has_folded_line(std::string_view bytes) {
    return bytes.find("\n ") != std::string_view::npos || bytes.find("\n\t") != std::string_view::npos;
}

bool is_of_host(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("-._~:[]%!$&'()*+,;=").contains(c);
}

std::expected<void, Response> check_host(const Request& request, unsigned version) {
    const auto is_host = [](const Header& header) { return lower_case(header.name) == "host"; };
    const auto count = std::ranges::count_if(request.headers, is_host);
    if (count > 1) return refused("it has more than one Host");
    if (count == 0 && version > 10) return refused("it has no Host");
    if (!std::ranges::all_of(request.header("host"), is_of_host)) return refused("its Host is none");
    return {};
}

// One length or chunks, said once, in the one way in which everybody reads it.
std::expected<BodyFraming, Response> framing_of(const Request& request, unsigned version) {
    BodyFraming framing;
    int lengths = 0, encodings = 0;
    for (const Header& header : request.headers) {
        const std::string name = lower_case(header.name);
        if (name == "transfer-encoding") {
            ++encodings;
            if (lower_case(header.value) != "chunked")
                return refused("its Transfer-Encoding is something else than chunked");
        }
        if (name != "content-length") continue;
        ++lengths;
        const bool has_digits = !header.value.empty() && std::ranges::all_of(header.value, is_ascii_digit);
        constexpr std::size_t most_digits = 18;
        if (!has_digits || header.value.size() > most_digits) return refused("its Content-Length is none");
        framing.length = std::stoull(header.value);
    }
    if (lengths + encodings > 1) return refused("it says more than once how long its body is");
    if (encodings > 0 && version < 11) return refused("there are no chunks in HTTP/1.0");
    framing.is_chunked = encodings > 0;
    return framing;
}

}  // namespace

std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t seen) {
    constexpr std::string_view end = "\r\n\r\n";
    const std::size_t from = seen - std::min(seen, end.size() - 1);
    const std::size_t at = bytes.find(end, from);
    if (at == std::string_view::npos) return std::nullopt;
    return at + end.size();
}

Response head_is_too_long(std::string_view bytes) {
    const bool has_target = bytes.contains('\n');
    return has_target ? reply_error(431, "BAD_REQUEST", "the headers are too long")
                      : reply_error(414, "BAD_REQUEST", "the URL is too long");
}

std::expected<RequestHead, Response> parse_request_head(std::string_view bytes) {
    if (has_folded_line(bytes)) return refused("one of its headers goes on in the next line");
    http::request_parser<http::empty_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(bytes.size() + 1));
    parser.body_limit(boost::none);
    boost::system::error_code error;
    parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error && error != http::error::need_more) return refused(error.message());
    if (!parser.is_header_done()) return refused("it has no end");
    RequestHead head{.raw = parser.release()};
    const http::request<http::empty_body>& raw = head.raw;
    const auto text = [](boost::beast::string_view part) { return std::string(part.data(), part.size()); };
    Target target = parse_target(text(raw.target()));
    head.request = {.method = method_of(raw.method()),
                    .path = std::move(target.path),
                    .query = std::move(target.query),
                    .is_upgrade = boost::beast::websocket::is_upgrade(raw)};
    for (const auto& field : raw)
        head.request.headers.push_back({.name = text(field.name_string()), .value = text(field.value())});
    if (auto checked = check_host(head.request, raw.version()); !checked)
        return Refusal(std::move(checked).error());
    auto framing = framing_of(head.request, raw.version());
    if (!framing) return Refusal(std::move(framing).error());
    head.framing = *framing;
    head.request.has_body = framing->has_body();
    head.keeps_alive = raw.keep_alive();
    head.awaits_go_on = boost::beast::iequals(raw[http::field::expect], "100-continue");
    return head;
}

}  // namespace quarry::api
