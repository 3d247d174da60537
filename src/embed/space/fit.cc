#include "embed/space/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <xxhash.h>

#include "base/each_processor.h"
#include "embed/space/space.h"

namespace quarry::embed {

namespace {

std::array<float, 256> log_weights() {
    std::array<float, 256> weights{};
    for (std::size_t count = 1; count < weights.size(); ++count) {
        weights[count] = 1 + std::log(static_cast<float>(count));
    }
    return weights;
}

QUARRY_FOR_EACH_PROCESSOR
void add_scaled(float* __restrict to, const float* __restrict from, float factor, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] += factor * from[i];
}

}  // namespace

float log_weight(std::uint32_t count) {
    static const std::array<float, 256> weights = log_weights();
    return weights[std::min<std::uint32_t>(count, 255)];
}

void sum_rows(const TermMatrix& matrix, std::size_t chunk, const Matrix& rows, std::vector<float>& to) {
    to.assign(rows.columns, 0.0F);
    for (const TermEntry entry : matrix.chunks[chunk]) {
        const float weight =
            log_weight(entry.count()) * matrix.rarity[entry.term()] * matrix.inverse_length[chunk];
        add_scaled(to.data(), rows.row(entry.term()).data(), weight, rows.columns);
    }
}

// Chunk by chunk, so that the chunks' own coordinates need not be kept: 64k of them would be 70 MB.
Result<void> TermMatrix::apply(const Matrix& from, Matrix& to, const std::stop_token& stop) const {
    std::fill(to.values.begin(), to.values.end(), 0.0F);
    std::vector<float> coordinates;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        if (chunk % 256 == 0 && stop.stop_requested()) {
            return fail(ErrorCode::interrupted, "fitting the space was interrupted");
        }
        sum_rows(*this, chunk, from, coordinates);
        for (const TermEntry entry : chunks[chunk]) {
            const float weight = log_weight(entry.count()) * rarity[entry.term()] * inverse_length[chunk];
            add_scaled(to.row(entry.term()).data(), coordinates.data(), weight, to.columns);
        }
    }
    return {};
}

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

// Fits a space: randomised subspace iteration (Halko, Martinsson and Tropp, 2011) on the terms' side of the
// matrix, then a rotation.

namespace {

constexpr std::uint64_t seed = 20;         // any number: the same sample gives the same space
constexpr std::size_t spare_columns = 16;  // the last directions found are poor: some more are looked for
constexpr int rounds = 5;  // with three, the score of a collection depends on the seed by .003

// The strongest directions of the matrix, terms by dimensions.
Result<Matrix> principal_terms(const TermMatrix& matrix, std::size_t dimensions,
                               const std::stop_token& stop) {
    const std::size_t columns = std::min(dimensions + spare_columns, matrix.terms());
    Matrix directions(matrix.terms(), columns), product(matrix.terms(), columns);
    fill_randomly(directions, seed);
    for (int round = 0; round < rounds; ++round) {
        TRY(matrix.apply(directions, product, stop));
        std::swap(directions, product);
        if (round + 1 < rounds) {
            orthonormalise(directions);
        } else {
            to_principal_directions(directions);
        }
    }
    return directions;
}

// LSA's first dimensions have most of the variance: signs of the others would be noise. Any rotation keeps
// the angles; a random one spreads the variance evenly.
Matrix spreading_rotation(std::size_t columns, std::size_t dimensions) {
    const Matrix rotation = random_rotation(dimensions, seed);
    Matrix padded(columns, dimensions);  // the spare columns go nowhere
    std::copy(rotation.values.begin(), rotation.values.end(), padded.values.begin());
    return padded;
}

void quantise(std::span<const float> row, float rarity, std::int8_t* to, float& scale) {
    float largest = 0;
    for (const float x : row) largest = std::max(largest, std::abs(x));
    const float factor = largest > 0 ? 127 / largest : 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        to[i] = static_cast<std::int8_t>(std::lround(row[i] * factor));
    scale = largest / 127 * rarity;
}

}  // namespace

SpaceFit::SpaceFit(SpaceOptions options) : sample_(std::make_unique<Sample>(Sample{.options = options})) {}
SpaceFit::~SpaceFit() = default;

void SpaceFit::add(const text::TermBag& terms) {
    sample_->add(terms);
}

Result<Space> SpaceFit::finish(std::stop_token stop) {
    const auto dimensions = static_cast<std::size_t>(sample_->options.dimensions);
    const TermMatrix matrix = sample_->to_matrix();
    if (matrix.chunks.size() < dimensions || matrix.terms() < dimensions) {
        return fail(ErrorCode::conflict, "the sample is too small to span a space");
    }
    Matrix rows = TRY(principal_terms(matrix, dimensions, stop));
    multiply_rows(rows, spreading_rotation(rows.columns, dimensions));

    std::vector<std::size_t> order(matrix.terms());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t term) { return matrix.hashes[term]; });
    auto tables = std::make_unique<Space::Tables>();
    tables->dimensions = static_cast<int>(dimensions);
    tables->scales.resize(order.size());
    tables->rows.resize(order.size() * dimensions);
    for (std::size_t i = 0; i < order.size(); ++i) {
        tables->hashes.push_back(matrix.hashes[order[i]]);
        quantise(rows.row(order[i]), matrix.rarity[order[i]], &tables->rows[i * dimensions],
                 tables->scales[i]);
    }
    tables->index_hashes();
    return Space(std::move(tables));
}

}  // namespace quarry::embed
