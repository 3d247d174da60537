// Which vectors may be the nearest, judged by the signs of their numbers alone: one bit per dimension, all in
// memory. A scan reads 32 MB for a million vectors of 256 dimensions; what it names is then compared exactly.
//
// The query keeps more than its signs. A dimension in which the signs differ counts by how large the query's
// number is there, so the distance estimates the angle much better than a count of differing signs: a tenth
// of the candidates suffices for the same recall.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace quarry::index {

struct SignCandidate {
    std::uint32_t slot = 0;
    std::uint16_t distance = 0;
    friend bool operator==(const SignCandidate&, const SignCandidate&) = default;
};

// Reading is safe from many threads while none writes.
class SignBits {
public:
    static constexpr std::size_t max_dimensions = 2048;

    // `dimensions` at most max_dimensions.
    explicit SignBits(std::size_t dimensions);

    // Takes the signs of the vector for a slot, whatever it had. Memory grows with the highest slot.
    void set(std::uint32_t slot, std::span<const float> vector);
    void set(std::uint32_t slot, std::span<const std::int8_t> vector);
    // The same, of signs that were taken before: bit i of word n is that of dimension 64 n + i.
    void set_packed(std::uint32_t slot, std::span<const std::uint64_t> signs);
    // The slot is no longer found.
    void clear(std::uint32_t slot);

    std::size_t dimensions() const { return dimensions_; }
    std::size_t memory_bytes() const;

    // The `limit` slots with the smallest distances, nearest first, of two equal ones the lower. `allowed`
    // has a bit for each slot that may be found, 64 in a word; none beyond its end may.
    std::vector<SignCandidate> nearest(std::span<const float> query, std::size_t limit) const;
    std::vector<SignCandidate> nearest(std::span<const float> query, std::size_t limit,
                                       std::span<const std::uint64_t> allowed) const;

private:
    template <typename Number>
    void set_signs(std::uint32_t slot, std::span<const Number> vector);
    std::uint64_t* words_of(std::uint32_t slot);
    void ensure_slot(std::uint32_t slot);

    // Slots are stored eight together: their first words, their second words, and so on, as a vector register
    // takes them. Allocated in pieces, for growing must not copy all. A piece is some whole huge pages long,
    // for any dimensions: with these a scan takes a quarter less time.
    static constexpr std::size_t slots_together = 8, slots_of_piece = 1 << 18;

    struct Free {
        void operator()(std::uint64_t* words) const { std::free(words); }
    };
    using Piece = std::unique_ptr<std::uint64_t[], Free>;
    Piece new_piece() const;

    std::size_t dimensions_ = 0, words_per_slot_ = 0;
    std::vector<Piece> pieces_{};
    std::vector<std::uint64_t> used_{};  // a bit per slot; what is beyond is not even cleared memory
};

}  // namespace quarry::index
