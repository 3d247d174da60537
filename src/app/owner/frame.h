// Messages on a stream of bytes: each is its length in four bytes, the highest first, and then so many bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::app {

inline constexpr std::size_t longest_frame = 16u << 20;

// `message` must not be longer than longest_frame.
std::string frame(std::string_view message);

// Takes bytes as they come and gives messages as they are complete. What it holds is bounded by the longest
// frame and what is added at once.
class FrameReader {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }

    // Nothing if the next message is not complete yet. Fails with `too_large` if it says to be longer than
    // allowed, and from then on always.
    Result<std::optional<std::string>> next();

    // True in the middle of a message: a stream that ends here was cut.
    bool has_rest() const { return start_ < buffer_.size(); }

private:
    std::string buffer_;
    std::size_t start_ = 0;
};

}  // namespace quarry::app
