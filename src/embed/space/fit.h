// How a space is fitted, and what a fitted space consists of. SpaceFit gathers the chunks and chooses the
// words the space will know. They become a sparse matrix, chunks by terms, whose strongest directions make
// the space.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "embed/space/matrix.h"
#include "embed/space/space.h"
#include "text/terms/terms.h"

namespace quarry::embed {

// What a fitted space consists of.

// A row of numbers per term, which a chunk's vector is the weighted sum of: eight bits each, and one factor
// per row. Terms are known by their hash alone and are in its order.
struct Space::Tables {
    int dimensions = 0;
    std::vector<std::uint64_t> hashes{};
    std::vector<float> scales{};  // of each row
    std::vector<std::int8_t> rows{};
    std::vector<std::uint32_t> first_of{};  // hashes' upper 16 bits -> where those begin; 65,537 numbers

    void index_hashes();  // fills first_of
    // The term's row, or -1.
    std::ptrdiff_t find(std::uint64_t hash) const;
};

// Chunks by terms: the sparse matrix whose strongest directions make the space.

// The logarithmic weight of a term that occurs `count` times (the l of ltc).
float log_weight(std::uint32_t count);

// A term's number and how often it occurs in a chunk, up to 255, in four bytes: the sample is the largest
// thing in memory while a space is fitted.
class TermEntry {
public:
    static constexpr std::uint32_t max_terms = 1U << 24;

    TermEntry(std::uint32_t term, std::uint32_t count) : bits_(term << 8 | (count < 255 ? count : 255)) {}
    std::uint32_t term() const { return bits_ >> 8; }
    std::uint32_t count() const { return bits_ & 255; }

private:
    std::uint32_t bits_;
};

struct TermMatrix {
    std::vector<std::uint64_t> hashes{};  // of each term
    std::vector<float> rarity{};          // of each term: its inverse document frequency (the t)
    std::vector<std::vector<TermEntry>> chunks{};
    std::vector<float> inverse_length{};  // of each chunk (the c)

    std::size_t terms() const { return hashes.size(); }

    // to = A'A x from, both terms by columns. `interrupted` when asked to stop.
    Result<void> apply(const Matrix& from, Matrix& to, const std::stop_token& stop) const;
};

// to = the weighted sum of the rows of the chunk's terms.
void sum_rows(const TermMatrix& matrix, std::size_t chunk, const Matrix& rows, std::vector<float>& to);

// Gathers the chunks a space is fitted on, and chooses the words it will know.

// Numbers terms by their hash in order of appearance and counts the chunks that have them. Takes no new terms
// once it has two million: memory stays bounded, and what first appears so late is rare.
class TermNumbers {
public:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::uint32_t max_terms = 1U << 21;

    // The term's number, counting one more chunk with it; `none` if it cannot be taken.
    std::uint32_t count(std::uint64_t hash);

    const std::vector<std::uint64_t>& hashes() const { return hashes_; }
    const std::vector<std::uint32_t>& chunk_counts() const { return chunk_counts_; }

private:
    void grow();
    std::size_t place_of(std::uint64_t hash) const;

    std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(1024, none);  // a power of two of them
    std::vector<std::uint64_t> hashes_{};
    std::vector<std::uint32_t> chunk_counts_{};
};

// What a space knows a term by.
std::uint64_t term_hash(std::string_view term);

struct SpaceFit::Sample {
    SpaceOptions options{};
    TermNumbers numbers{};
    std::vector<std::vector<TermEntry>> chunks{};

    void add(const text::TermBag& terms);
    // The sample as the matrix of the terms worth knowing. Leaves nothing behind.
    TermMatrix to_matrix();
};

}  // namespace quarry::embed
