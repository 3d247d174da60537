#include "api/server/request_reader.h"

#include <algorithm>
#include <charconv>

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

}  // namespace quarry::api
