// Memory for the strings of one tree: handed out piece by piece, freed all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::html {

class Arena {
public:
    char* allocate(std::size_t bytes) {
        if (bytes > static_cast<std::size_t>(limit_ - cursor_)) add_block(bytes);
        return std::exchange(cursor_, cursor_ + bytes);
    }
    std::string_view copy(std::string_view bytes) {
        if (bytes.empty()) return {};
        char* at = allocate(bytes.size());
        std::memcpy(at, bytes.data(), bytes.size());
        return {at, bytes.size()};
    }
    // True if what ends at `end` was the last thing handed out and `bytes` more fit right behind it.
    bool can_extend(const char* end, std::size_t bytes) const {
        return end == cursor_ && bytes <= static_cast<std::size_t>(limit_ - cursor_);
    }

private:
    void add_block(std::size_t at_least) {
        const std::size_t bytes = std::max(at_least, next_block_);
        next_block_ = std::min<std::size_t>(next_block_ * 2, std::size_t{1} << 20);
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
        cursor_ = blocks_.back().get();
        limit_ = cursor_ + bytes;
    }

    std::vector<std::unique_ptr<char[]>> blocks_;
    char* cursor_ = nullptr;
    char* limit_ = nullptr;
    std::size_t next_block_ = std::size_t{1} << 12;
};

}  // namespace quarry::html
