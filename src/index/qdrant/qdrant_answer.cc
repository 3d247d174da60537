#include "index/qdrant/qdrant_answer.h"

#include <cmath>
#include <utility>

#include <boost/json.hpp>

namespace quarry::index {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 16;
constexpr std::size_t most_error_bytes = 64 * 1024;

std::unexpected<Error> corrupt(const char* what) {
    return fail(ErrorCode::corrupt, what);
}

Result<json::value> parse(std::string_view body) {
    json::parse_options options;
    options.max_depth = deepest;
    json::error_code error;
    json::value value = json::parse(body, error, {}, options);
    if (error) return corrupt("the answer is not JSON");
    return value;
}

const json::value* member(const json::value& value, std::string_view key) {
    const json::object* object = value.if_object();
    return object != nullptr ? object->if_contains(key) : nullptr;
}

Result<std::vector<float>> read_vector(const json::value& value) {
    if (!value.is_array()) return corrupt("the answer has a vector that is no list");
    std::vector<float> vector;
    vector.reserve(value.get_array().size());
    for (const json::value& number : value.get_array()) {
        json::error_code error;
        vector.push_back(number.is_number() ? static_cast<float>(number.to_number<double>(error)) : NAN);
        if (error || !std::isfinite(vector.back()))
            return corrupt("the answer has a vector of something else than numbers");
    }
    return vector;
}

Result<QdrantPoint> read_point(const json::value& value) {
    const json::value* id = member(value, "id");
    if (id == nullptr || !id->is_string()) return corrupt("the answer has a point without its id");
    QdrantPoint point{.id = std::string(id->get_string())};
    if (const json::value* payload = member(value, "payload"); payload != nullptr && payload->is_object())
        point.payload = payload->get_object();
    if (const json::value* vectors = member(value, "vector"); vectors != nullptr)
        if (const json::value* dense = member(*vectors, "dense"); dense != nullptr)
            point.dense = TRY(read_vector(*dense));
    return point;
}

}  // namespace

Result<json::value> qdrant_result(std::string_view body) {
    json::value answer = TRY(parse(body));
    json::object* object = answer.if_object();
    json::value* result = object != nullptr ? object->if_contains("result") : nullptr;
    if (result == nullptr) return corrupt("the answer has no result");
    return std::move(*result);
}

std::string qdrant_error(std::string_view body) {
    const auto answer = parse(body);
    const json::value* status = answer ? member(*answer, "status") : nullptr;
    const json::value* error = status != nullptr ? member(*status, "error") : nullptr;
    if (error != nullptr && error->is_string()) return std::string(error->get_string());
    return std::string(body.substr(0, most_error_bytes));
}

Result<std::vector<QdrantPoint>> read_found(const json::value& result) {
    const json::value* points = member(result, "points");
    if (points == nullptr || !points->is_array()) return corrupt("the answer has no list of points");
    std::vector<QdrantPoint> found;
    found.reserve(points->get_array().size());
    for (const json::value& value : points->get_array()) {
        found.push_back(TRY(read_point(value)));
        const json::value* score = member(value, "score");
        json::error_code error;
        const double number = score != nullptr && score->is_number() ? score->to_number<double>(error) : NAN;
        found.back().score = static_cast<float>(number);
        if (error || !std::isfinite(found.back().score))
            return corrupt("the answer has a score that is no number");
    }
    return found;
}

Result<std::vector<QdrantPoint>> read_records(const json::value& result) {
    if (!result.is_array()) return corrupt("the answer has no list of points");
    std::vector<QdrantPoint> records;
    records.reserve(result.get_array().size());
    for (const json::value& value : result.get_array()) records.push_back(TRY(read_point(value)));
    return records;
}

Result<std::int64_t> read_count(const json::value& result) {
    const json::value* count = member(result, "count");
    if (count == nullptr || !count->is_int64() || count->get_int64() < 0)
        return corrupt("the answer has no count");
    return count->get_int64();
}

Result<std::vector<std::string>> read_collection_names(const json::value& result) {
    const json::value* list = member(result, "collections");
    if (list == nullptr || !list->is_array()) return corrupt("the answer has no list of collections");
    std::vector<std::string> names;
    for (const json::value& value : list->get_array()) {
        const json::value* name = member(value, "name");
        if (name == nullptr || !name->is_string())
            return corrupt("the answer has a collection without a name");
        names.emplace_back(name->get_string());
    }
    return names;
}

Result<bool> read_completed(const json::value& result) {
    const json::value* status = member(result, "status");
    if (status == nullptr || !status->is_string())
        return corrupt("the answer does not say whether it is done");
    return status->get_string() == "completed";
}

}  // namespace quarry::index
