#include "embed/space/fit.h"

#include <algorithm>
#include <cmath>

#include "base/each_processor.h"

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

}  // namespace quarry::embed
