#include "index/embedded/int8_vector.h"

#include <algorithm>
#include <cmath>

#include "base/each_processor.h"

namespace quarry::index {

Int8Vector quantise(std::span<const float> vector) {
    float largest = 0;
    for (const float x : vector) largest = std::max(largest, std::abs(x));
    const float factor = largest > 0 ? 127 / largest : 0;
    Int8Vector quantised;
    quantised.values.reserve(vector.size());
    double squares = 0, rounded_squares = 0;
    for (const float x : vector) {
        const auto rounded = static_cast<std::int8_t>(std::lround(x * factor));
        quantised.values.push_back(rounded);
        squares += static_cast<double>(x) * x;
        rounded_squares += rounded * rounded;
    }
    // Not 1 / factor: the length stays exactly what it was, and a part of the error goes with it.
    if (rounded_squares > 0) quantised.scale = static_cast<float>(std::sqrt(squares / rounded_squares));
    return quantised;
}

QUARRY_FOR_EACH_PROCESSOR
std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace quarry::index
