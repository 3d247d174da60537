// Vectors at rest: eight bits per number and one factor for all. Cosines differ from those of floats in the
// fourth digit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quarry::index {

struct Int8Vector {
    float scale = 0;  // number = scale * value
    std::vector<std::int8_t> values{};
};

Int8Vector quantise(std::span<const float> vector);

// Of two vectors of the same size.
std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b);

}  // namespace quarry::index
