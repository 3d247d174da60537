#include "embed/answers.h"

#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::embed {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 8;

}  // namespace

Result<json::value> parse_json_answer(std::string_view body) {
    json::parse_options options;
    options.max_depth = deepest;
    json::error_code error;
    // One allocation after another and none freed alone: an answer is mostly numbers, read once.
    json::value value =
        json::parse(body, error, json::make_shared_resource<json::monotonic_resource>(), options);
    if (error) return fail(ErrorCode::corrupt, "the answer is not JSON: " + error.message());
    return value;
}

Result<Vector> read_vector(const json::value& value) {
    const json::array* numbers = value.if_array();
    if (numbers == nullptr) return fail(ErrorCode::corrupt, "the answer has no vector where one belongs");
    Vector vector;
    vector.reserve(numbers->size());
    for (const json::value& number : *numbers) {
        json::error_code error;
        const float component =
            number.is_number() ? static_cast<float>(number.to_number<double>(error)) : NAN;
        if (error || !std::isfinite(component))
            return fail(ErrorCode::corrupt, "the answer has a vector with something that is not a number");
        vector.push_back(component);
    }
    return vector;
}

Result<void> check_vectors(const std::vector<Vector>& vectors, std::size_t count, int dimensions) {
    if (vectors.size() != count)
        return fail(ErrorCode::corrupt,
                    fmt::format("{} texts were sent, {} vectors came back", count, vectors.size()));
    const std::size_t expected =
        dimensions > 0 || vectors.empty() ? static_cast<std::size_t>(dimensions) : vectors.front().size();
    for (const Vector& vector : vectors)
        if (vector.size() != expected || vector.empty())
            return fail(ErrorCode::corrupt,
                        fmt::format("a vector of {} dimensions came back, not {}", vector.size(), expected));
    return {};
}

void normalise(Vector& vector) {
    double square = 0;
    for (const float component : vector) square += static_cast<double>(component) * component;
    if (square <= 0) return;
    const auto scale = static_cast<float>(1 / std::sqrt(square));
    for (float& component : vector) component *= scale;
}

}  // namespace quarry::embed
