// A set of small numbers, such as slots or pages, as one bit each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quarry::index {

class Bits {
public:
    Bits() = default;
    explicit Bits(std::size_t size) : words_((size + 63) / 64) {}

    void grow(std::size_t size) {
        if (words_.size() < (size + 63) / 64) words_.resize((size + 63) / 64);
    }
    void set(std::uint32_t at) { words_[at / 64] |= std::uint64_t{1} << (at % 64); }
    void clear(std::uint32_t at) { words_[at / 64] &= ~(std::uint64_t{1} << (at % 64)); }
    // False beyond the end.
    bool has(std::uint32_t at) const {
        return at / 64 < words_.size() && ((words_[at / 64] >> (at % 64)) & 1) != 0;
    }

    const std::vector<std::uint64_t>& words() const { return words_; }

    // Both are of the same size.
    Bits& operator&=(const Bits& other) {
        for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= other.words_[at];
        return *this;
    }
    void remove(const Bits& other) {
        for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= ~other.words_[at];
    }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace quarry::index
