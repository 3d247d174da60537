#include "embed/openai_answer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "base/base64.h"
#include "embed/answers.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

Result<Vector> vector_of_base64(std::string_view text) {
    const auto bytes = decode_base64(text);
    if (!bytes || bytes->size() % sizeof(float) != 0)
        return fail(ErrorCode::corrupt, "the answer has a vector that is not base64 of floats");
    Vector vector(bytes->size() / sizeof(float));
    for (std::size_t i = 0; i < vector.size(); ++i) {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < 4; ++byte)
            word |= static_cast<std::uint32_t>(static_cast<unsigned char>((*bytes)[4 * i + byte]))
                    << (8 * byte);
        vector[i] = std::bit_cast<float>(word);
        if (!std::isfinite(vector[i]))
            return fail(ErrorCode::corrupt, "the answer has a vector with something that is not a number");
    }
    return vector;
}

// The place of one item, if it has a proper one that is still free.
std::optional<std::size_t> place_of(const json::object& item, const std::vector<Vector>& taken) {
    const json::value* index = item.if_contains("index");
    if (index == nullptr || !index->is_int64() || index->get_int64() < 0) return std::nullopt;
    const auto place = static_cast<std::size_t>(index->get_int64());
    if (place >= taken.size() || !taken[place].empty()) return std::nullopt;
    return place;
}

}  // namespace

Result<OpenAiVectors> parse_openai_vectors(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::object* object = answer.if_object();
    const json::value* data = object != nullptr ? object->if_contains("data") : nullptr;
    if (data == nullptr || !data->is_array())
        return fail(ErrorCode::corrupt, "the answer has no list of vectors");
    OpenAiVectors found;
    if (const json::value* model = object->if_contains("model"); model != nullptr && model->is_string())
        found.model = model->get_string();
    found.vectors.resize(data->get_array().size());
    for (const json::value& value : data->get_array()) {
        const json::object* item = value.if_object();
        const json::value* embedding = item != nullptr ? item->if_contains("embedding") : nullptr;
        if (embedding == nullptr) return fail(ErrorCode::corrupt, "the answer has an item without a vector");
        const auto place = place_of(*item, found.vectors);
        if (!place) return fail(ErrorCode::corrupt, "the answer has a vector that belongs to no text");
        Vector vector =
            TRY(embedding->is_string() ? vector_of_base64(embedding->get_string()) : read_vector(*embedding));
        if (vector.empty()) return fail(ErrorCode::corrupt, "the answer has an empty vector");
        found.vectors[*place] = std::move(vector);
    }
    return found;
}

bool is_refused_for_size(int status, std::string_view words) {
    if (status == 413) return true;
    if (status != 400 && status != 422) return false;
    constexpr std::array<std::string_view, 7> signs = {
        "batch size", "context length", "context size", "tokens", "too long", "too large", "too many inputs"};
    const std::string lower = lower_case(words);
    return std::ranges::any_of(signs, [&](std::string_view sign) { return lower.find(sign) != lower.npos; });
}

}  // namespace quarry::embed
