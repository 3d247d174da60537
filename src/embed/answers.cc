#include "embed/answers.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"

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

namespace {

constexpr std::size_t most_line_bytes = 300;
// Far more, so that what is cut off a body cannot split a key that the rest would have shown.
constexpr std::size_t most_read_bytes = 64 * 1024;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    if (what.empty()) return;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

std::size_t length_by_first_byte(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return 2;
    if (byte >= 0xE0 && byte <= 0xEF) return 3;
    if (byte >= 0xF0 && byte <= 0xF4) return 4;
    return 1;
}

// Whole characters as long as they fit; control characters become spaces, stray bytes question marks.
std::string one_clean_line(std::string_view text) {
    std::string line;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = length_by_first_byte(byte);
        const std::string_view character = text.substr(i, length);
        if (line.size() + character.size() > most_line_bytes) break;
        const bool is_whole =
            character.size() == length && std::ranges::all_of(character.substr(1), is_utf8_continuation);
        if (byte < 0x20 || byte == 0x7F) {
            line += ' ';
        } else if (byte < 0x80 || (length > 1 && is_whole)) {
            line += character;
        } else {
            line += '?';
        }
        i += is_whole ? length : 1;
    }
    return line;
}

const boost::json::string* string_at(const boost::json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr ? value->if_string() : nullptr;
}

}  // namespace

std::string words_of_error(std::string_view body) {
    const auto answer = parse_json_answer(body);
    const auto* object = answer ? answer->if_object() : nullptr;
    if (object == nullptr) return std::string(body.substr(0, most_read_bytes));
    if (const auto* words = string_at(*object, "error")) return std::string(*words);
    if (const auto* words = string_at(*object, "message")) return std::string(*words);
    const auto* error = object->if_contains("error");
    if (error != nullptr && error->is_object())
        if (const auto* words = string_at(error->get_object(), "message")) return std::string(*words);
    return std::string(body.substr(0, most_read_bytes));
}

std::string quoted_words(std::string_view words, std::string_view key) {
    std::string text(words);
    replace_all(text, key, "[key]");
    return std::string(trimmed(one_clean_line(text)));
}

}  // namespace quarry::embed
