// One bit of each number of a vector: whether it is positive. Two vectors that point the same way agree in
// most signs, so a scan over the signs finds the few whose vectors are worth reading. A scan reads 32 MB
// for a million vectors of 256 dimensions. The query keeps more than its signs: a dimension in which the
// signs differ counts by how large the query's number is there, so the distance estimates the angle well
// and a tenth of the candidates suffices for the same recall. The inner loop exists once for each
// generation of processors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/embedded/postings.h"

namespace quarry::index {

// The inner loop of the scan over sign bits, once for each generation of processors.

// A query as the scan wants it. The magnitude of its number in each dimension is a number of `planes` bits;
// plane n has the nth bit of all of them.
struct SignQuery {
    static constexpr std::size_t planes = 3;

    std::vector<std::uint64_t> signs{};
    std::array<std::vector<std::uint64_t>, planes> magnitudes{};
};

// `words` is how many words of 64 dimensions a vector has.
SignQuery make_sign_query(std::span<const float> query, std::size_t words);

// Distances of `groups` times eight vectors, which lie in memory as SignBits says.
using SignDistance = void (*)(const SignQuery& query, const std::uint64_t* bits, std::size_t groups,
                              std::uint16_t* distances);

// All that this processor can run, the fastest first; the last one runs anywhere.
struct NamedSignDistance {
    const char* name = "";
    SignDistance function = nullptr;
};
std::span<const NamedSignDistance> sign_distances();

// Which vectors may be the nearest, judged by the signs of their numbers alone: one bit per dimension, all in
// memory. A scan reads 32 MB for a million vectors of 256 dimensions; what it names is then compared exactly.
//
// The query keeps more than its signs. A dimension in which the signs differ counts by how large the query's
// number is there, so the distance estimates the angle much better than a count of differing signs: a tenth
// of the candidates suffices for the same recall.

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

// One bit of each number of a vector: whether it is positive. Two vectors that point the same way agree in
// most signs, so counting agreements finds the few whose vectors are worth reading.

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
