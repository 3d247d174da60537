// Fits a space: randomised subspace iteration (Halko, Martinsson and Tropp, 2011) on the terms' side of the
// matrix, then a rotation.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "embed/space/space.h"
#include "embed/space/space_sample.h"
#include "embed/space/space_tables.h"

namespace quarry::embed {

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
