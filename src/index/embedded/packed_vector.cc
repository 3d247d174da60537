#include "index/embedded/packed_vector.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace quarry::index {

Result<std::vector<float>> unit_vector(std::span<const float> vector) {
    double sum = 0;
    for (const float value : vector) sum += static_cast<double>(value) * value;
    if (!std::isfinite(sum)) return fail(ErrorCode::invalid_argument, "a vector has numbers that are none");
    if (sum == 0) return std::vector<float>();
    const auto scale = static_cast<float>(1 / std::sqrt(sum));
    std::vector<float> unit(vector.begin(), vector.end());
    for (float& value : unit) value *= scale;
    return unit;
}

std::string pack_vector(std::span<const float> unit) {
    const Int8Vector small = quantise(unit);
    std::string bytes(sizeof small.scale + small.values.size(), '\0');
    std::memcpy(bytes.data(), &small.scale, sizeof small.scale);
    std::memcpy(bytes.data() + sizeof small.scale, small.values.data(), small.values.size());
    return bytes;
}

std::vector<float> unpack_vector(std::string_view packed) {
    float scale = 0;
    if (packed.size() < sizeof scale) return {};
    std::memcpy(&scale, packed.data(), sizeof scale);
    std::vector<float> unit;
    unit.reserve(packed.size() - sizeof scale);
    for (const char value : packed.substr(sizeof scale)) {
        unit.push_back(scale * static_cast<float>(static_cast<std::int8_t>(value)));
    }
    return unit;
}

Result<float> cosine(std::string_view packed, const Int8Vector& unit) {
    float scale = 0;
    if (packed.size() != sizeof scale + unit.values.size()) {
        return fail(ErrorCode::corrupt, "the search index is damaged: a vector has the wrong size");
    }
    std::memcpy(&scale, packed.data(), sizeof scale);
    const auto* values = reinterpret_cast<const std::int8_t*>(packed.data() + sizeof scale);
    const std::int32_t product = dot({values, unit.values.size()}, unit.values);
    return static_cast<float>(product) * scale * unit.scale;
}

}  // namespace quarry::index
