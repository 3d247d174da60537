// One bit of each number of a vector: whether it is positive. Two vectors that point the same way agree in
// most signs, so counting agreements finds the few whose vectors are worth reading.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/embedded/bits.h"
#include "index/embedded/embedded_postings.h"
#include "index/embedded/signs.h"

namespace quarry::index {

using SignWords = std::vector<std::uint64_t>;

SignWords signs_of(std::span<const float> vector);
inline std::size_t words_for(int dimensions) {
    return (static_cast<std::size_t>(dimensions) + 63) / 64;
}

inline constexpr Slot slots_per_block = 256;

// Signs of 256 consecutive slots at rest, and which of these were seen: those without a vector too, if their
// words are none that the space knows.
class SignBlock {
public:
    explicit SignBlock(int dimensions);
    // Nothing if the bytes are not a block of that many dimensions. One that was written before there was a
    // vector, with 0 dimensions, is.
    static std::optional<SignBlock> parse(std::string_view bytes, int dimensions);

    void put(Slot slot, std::span<const std::uint64_t> signs);  // empty: seen, and has no vector
    void clear(Slot slot);
    bool is_seen(Slot slot) const { return bit(0, slot); }
    bool has(Slot slot) const { return bit(1, slot); }
    SignWords signs(Slot slot) const;
    const std::string& bytes() const { return bytes_; }

private:
    bool bit(std::size_t row, Slot slot) const;
    void set_bit(std::size_t row, Slot slot, bool value);

    std::size_t words_;
    std::string bytes_;
};

// Signs of all slots in memory.
class Signs {
public:
    explicit Signs(int dimensions = 0);

    int dimensions() const { return dimensions_; }
    std::int64_t count() const { return count_; }
    void put(Slot slot, std::span<const std::uint64_t> signs);  // of other dimensions, or none: as remove()
    void remove(Slot slot);

    // The slots that may be the nearest, of those allowed if that is given.
    std::vector<SignCandidate> nearest(std::span<const float> vector, std::size_t limit,
                                       const Bits* allowed) const;

private:
    int dimensions_;
    std::int64_t count_ = 0;
    Bits has_;
    std::optional<SignBits> bits_;
};

}  // namespace quarry::index
