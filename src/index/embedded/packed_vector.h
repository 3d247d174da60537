// Vectors as rows have them: of length 1, the scale and then a byte per dimension.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/embedded/int8_vector.h"

namespace quarry::index {

// Of length 1. Empty if all numbers are 0; `invalid_argument` if one is none.
Result<std::vector<float>> unit_vector(std::span<const float> vector);

std::string pack_vector(std::span<const float> unit);

// The way back, as near as bytes are.
std::vector<float> unpack_vector(std::string_view packed);

// The cosine of the angle between them; `corrupt` if they differ in their dimensions.
Result<float> cosine(std::string_view packed, const Int8Vector& unit);

}  // namespace quarry::index
