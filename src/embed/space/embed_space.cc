#include "embed/space/space.h"

#include <algorithm>
#include <cmath>

#include "base/each_processor.h"
#include "embed/space/space_sample.h"
#include "embed/space/space_tables.h"

namespace quarry::embed {

namespace {

QUARRY_FOR_EACH_PROCESSOR
void add_scaled(float* __restrict to, const std::int8_t* __restrict from, float factor, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] += factor * static_cast<float>(from[i]);
}

void make_unit_length(std::vector<float>& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    const double factor = 1 / std::sqrt(squares);
    for (float& x : vector) x = static_cast<float>(x * factor);
}

}  // namespace

void Space::Tables::index_hashes() {
    first_of.assign(65'537, static_cast<std::uint32_t>(hashes.size()));
    for (std::size_t i = hashes.size(); i-- > 0;) first_of[hashes[i] >> 48] = static_cast<std::uint32_t>(i);
    for (std::size_t bucket = 65'536; bucket-- > 0;) {
        first_of[bucket] = std::min(first_of[bucket], first_of[bucket + 1]);
    }
}

std::ptrdiff_t Space::Tables::find(std::uint64_t hash) const {
    const auto begin = hashes.begin() + first_of[hash >> 48],
               end = hashes.begin() + first_of[(hash >> 48) + 1];
    const auto found = std::lower_bound(begin, end, hash);
    return found != end && *found == hash ? found - hashes.begin() : -1;
}

Space::Space(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;
Space::~Space() = default;

int Space::dimensions() const {
    return tables_->dimensions;
}

std::vector<float> Space::fold_in(const text::TermBag& terms) const {
    const auto dimensions = static_cast<std::size_t>(tables_->dimensions);
    std::vector<float> vector(dimensions);
    for (const text::TermCount& term : terms.counts) {
        const std::ptrdiff_t row = tables_->find(term_hash(term.term));
        if (row < 0) continue;
        const auto number = static_cast<std::size_t>(row);
        add_scaled(vector.data(), tables_->rows.data() + number * dimensions,
                   tables_->scales[number] * log_weight(term.count), dimensions);
    }
    if (std::ranges::all_of(vector, [](float x) { return x == 0; })) return {};
    make_unit_length(vector);
    return vector;
}

}  // namespace quarry::embed
