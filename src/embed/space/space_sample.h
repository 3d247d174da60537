// Gathers the chunks a space is fitted on, and chooses the words it will know.
#pragma once

#include <cstdint>
#include <vector>

#include "embed/space/space.h"
#include "embed/space/fit.h"
#include "text/terms/terms.h"

namespace quarry::embed {

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
