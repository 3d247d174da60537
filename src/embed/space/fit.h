// Chunks by terms: the sparse matrix whose strongest directions make the space.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "embed/space/matrix.h"

namespace quarry::embed {

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

}  // namespace quarry::embed
