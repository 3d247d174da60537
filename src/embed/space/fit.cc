#include "embed/space/space_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <xxhash.h>

namespace quarry::embed {

namespace {

float rarity_of(std::uint32_t chunk_count, std::size_t chunks) {
    return std::log(static_cast<float>(chunks) / static_cast<float>(chunk_count));
}

// The terms with the largest share in the matrix: neither those of a single chunk, which relate it to
// nothing, nor those that nearly all chunks have. Most frequent first, so that their rows are neighbours.
std::vector<std::uint32_t> useful_terms(const TermNumbers& numbers, std::size_t chunks, std::size_t limit) {
    const std::vector<std::uint32_t>& counts = numbers.chunk_counts();
    const auto share = [&](std::uint32_t term) {
        const float rarity = rarity_of(counts[term], chunks);
        return static_cast<float>(counts[term]) * rarity * rarity;
    };
    std::vector<std::uint32_t> terms;
    for (std::uint32_t term = 0; term < counts.size(); ++term) {
        if (counts[term] >= 2 && counts[term] < chunks) terms.push_back(term);
    }
    const auto more_useful = [&](std::uint32_t a, std::uint32_t b) {
        const float share_a = share(a), share_b = share(b);
        return share_a != share_b ? share_a > share_b : numbers.hashes()[a] < numbers.hashes()[b];
    };
    if (terms.size() > limit) {
        std::nth_element(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(limit), terms.end(),
                         more_useful);
        terms.resize(limit);
    }
    std::sort(terms.begin(), terms.end(), more_useful);
    return terms;
}

// Renumbers the chunk's terms, and forgets those without a number.
void renumber(std::vector<TermEntry>& chunk, const std::vector<std::uint32_t>& number_of) {
    std::vector<TermEntry> known;
    for (const TermEntry entry : chunk) {
        const std::uint32_t number = number_of[entry.term()];
        if (number != TermNumbers::none) known.emplace_back(number, entry.count());
    }
    chunk = std::vector<TermEntry>(known.begin(), known.end());
}

float inverse_length_of(const std::vector<TermEntry>& chunk, const std::vector<float>& rarity) {
    float sum = 0;
    for (const TermEntry entry : chunk) {
        const float weight = log_weight(entry.count()) * rarity[entry.term()];
        sum += weight * weight;
    }
    return sum > 0 ? 1 / std::sqrt(sum) : 0;
}

}  // namespace

std::uint64_t term_hash(std::string_view term) {
    return XXH3_64bits(term.data(), term.size());
}

std::size_t TermNumbers::place_of(std::uint64_t hash) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash & mask;
    while (places_[place] != none && hashes_[places_[place]] != hash) place = (place + 1) & mask;
    return place;
}

void TermNumbers::grow() {
    places_.assign(places_.size() * 2, none);
    for (std::uint32_t number = 0; number < hashes_.size(); ++number) {
        places_[place_of(hashes_[number])] = number;
    }
}

std::uint32_t TermNumbers::count(std::uint64_t hash) {
    const std::size_t place = place_of(hash);
    if (places_[place] != none) {
        ++chunk_counts_[places_[place]];
        return places_[place];
    }
    if (hashes_.size() == max_terms) return none;
    const auto number = static_cast<std::uint32_t>(hashes_.size());
    places_[place] = number;
    hashes_.push_back(hash);
    chunk_counts_.push_back(1);
    if (hashes_.size() * 2 > places_.size()) grow();
    return number;
}

void SpaceFit::Sample::add(const text::TermBag& terms) {
    if (chunks.size() >= options.max_chunks) return;
    std::vector<TermEntry> chunk;
    chunk.reserve(terms.counts.size());
    for (const text::TermCount& term : terms.counts) {
        const std::uint32_t number = numbers.count(term_hash(term.term));
        if (number != TermNumbers::none) chunk.emplace_back(number, term.count);
    }
    chunks.push_back(std::move(chunk));
}

TermMatrix SpaceFit::Sample::to_matrix() {
    const std::vector<std::uint32_t> terms = useful_terms(numbers, chunks.size(), options.max_vocabulary);
    TermMatrix matrix;
    std::vector<std::uint32_t> number_of(numbers.hashes().size(), TermNumbers::none);
    for (const std::uint32_t term : terms) {
        number_of[term] = static_cast<std::uint32_t>(matrix.hashes.size());
        matrix.hashes.push_back(numbers.hashes()[term]);
        matrix.rarity.push_back(rarity_of(numbers.chunk_counts()[term], chunks.size()));
    }
    numbers = {};
    matrix.chunks = std::exchange(chunks, {});
    for (std::vector<TermEntry>& chunk : matrix.chunks) {
        renumber(chunk, number_of);
        matrix.inverse_length.push_back(inverse_length_of(chunk, matrix.rarity));
    }
    return matrix;
}

}  // namespace quarry::embed
