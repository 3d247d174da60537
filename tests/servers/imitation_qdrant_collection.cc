#include "servers/imitation_qdrant_collection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "servers/imitation_conduct.h"
#include "servers/imitation_qdrant_filter.h"

namespace quarry::test {

namespace {

namespace json = boost::json;

bool is_numbers(const json::value& value) {
    return value.is_array() &&
           std::ranges::all_of(value.get_array(), [](const json::value& item) { return item.is_number(); });
}

std::vector<float> floats(const json::value& value) {
    std::vector<float> numbers;
    for (const json::value& item : value.as_array()) numbers.push_back(item.to_number<float>());
    return numbers;
}

std::map<std::uint32_t, float> sparse_of(const json::value& value) {
    std::map<std::uint32_t, float> numbers;
    const auto& indices = value.at("indices").as_array();
    const auto& values = value.at("values").as_array();
    for (std::size_t i = 0; i < indices.size(); ++i)
        numbers[indices[i].to_number<std::uint32_t>()] = values[i].to_number<float>();
    return numbers;
}

std::string wrong_with_sparse(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr || !unknown_field(*object, {"indices", "values"}).empty() || object->size() != 2)
        return "Format error in JSON body: a sparse vector has indices and values";
    if (!is_numbers(object->at("indices")) || !is_numbers(object->at("values")))
        return "Format error in JSON body: indices and values are numbers";
    std::set<std::uint64_t> seen;
    for (const json::value& index : object->at("indices").get_array()) {
        json::error_code error;
        const auto number = index.to_number<std::uint32_t>(error);
        if (error) return "Format error in JSON body: an index is a 32-bit number";
        if (!seen.insert(number).second) return "Validation error in JSON body: indices must be unique";
    }
    if (object->at("values").get_array().size() != seen.size())
        return "Validation error in JSON body: must be the same length as indices";
    return {};
}

std::size_t number_or(const json::object& object, std::string_view key, std::size_t otherwise) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_number() ? value->to_number<std::size_t>() : otherwise;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
    double product = 0, of_a = 0, of_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += static_cast<double>(a[i]) * b[i];
        of_a += static_cast<double>(a[i]) * a[i];
        of_b += static_cast<double>(b[i]) * b[i];
    }
    return of_a == 0 || of_b == 0 ? 0 : product / std::sqrt(of_a * of_b);
}

}  // namespace

std::string QdrantCollection::key_of(const json::value& id) {
    return json::serialize(id);
}

bool QdrantCollection::is_id(const json::value& id) {
    if (id.is_uint64() || (id.is_int64() && id.get_int64() >= 0)) return true;
    if (!id.is_string() || id.get_string().size() != 36) return false;
    const std::string_view text = id.get_string();
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash_place = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash_place != (text[i] == '-')) return false;
        if (!is_dash_place && std::string_view("0123456789abcdef").find(text[i]) == text.npos) return false;
    }
    return true;
}

QdrantCollection::Complaint QdrantCollection::check_vector(const std::string& name,
                                                           const json::value& vector) const {
    if (sparse.contains(name)) return wrong_with_sparse(vector);
    const auto known = dense.find(name);
    if (known == dense.end()) return "Wrong input: Not existing vector name error: " + name;
    if (!is_numbers(vector))
        return "Format error in JSON body: data did not match any variant of VectorStruct";
    const std::size_t size = vector.get_array().size();
    if (size != known->second)
        return fmt::format("Wrong input: Vector dimension error: expected dim: {}, got {}", known->second,
                           size);
    return {};
}

QdrantCollection::Complaint QdrantCollection::check_point(const json::value& point) const {
    const json::object* object = point.if_object();
    if (object == nullptr || !object->contains("id") || !object->contains("vector"))
        return "Format error in JSON body: a point has an id and a vector";
    if (const auto unknown = unknown_field(*object, {"id", "vector", "payload"}); !unknown.empty())
        return "Format error in JSON body: unknown field " + unknown;
    if (!is_id(object->at("id")))
        return fmt::format(
            "Format error in JSON body: value {} is not a valid point ID, valid values are either "
            "an unsigned integer or a UUID",
            json::serialize(object->at("id")));
    if (!object->at("vector").is_object()) return "Wrong input: Not existing vector name error: ";
    for (const auto& vector : object->at("vector").get_object())
        if (auto wrong = check_vector(vector.key(), vector.value()); !wrong.empty()) return wrong;
    const json::value* payload = object->if_contains("payload");
    if (payload != nullptr && !payload->is_object())
        return "Format error in JSON body: a payload is an object";
    return {};
}

void QdrantCollection::put(const json::object& point) {
    Point kept{.id = point.at("id")};
    if (const json::value* payload = point.if_contains("payload")) kept.payload = payload->get_object();
    for (const auto& vector : point.at("vector").get_object()) {
        const std::string name = vector.key();
        kept.vectors.insert(name);
        if (sparse.contains(name)) kept.sparse[name] = sparse_of(vector.value());
        if (dense.contains(name)) kept.dense[name] = floats(vector.value());
    }
    points_[key_of(kept.id)] = std::move(kept);
}

void QdrantCollection::set_payload(const std::string& id, const json::object& fields) {
    const auto found = points_.find(id);
    if (found == points_.end()) return;
    for (const auto& field : fields) found->second.payload[field.key()] = field.value();
}

void QdrantCollection::drop_vector(const std::string& name) {
    dense.erase(name);
    sparse.erase(name);
    for (auto& [id, point] : points_) {
        point.dense.erase(name);
        point.sparse.erase(name);
        point.vectors.erase(name);
    }
}

std::vector<std::string> QdrantCollection::ids_passing(const json::value& filter) const {
    std::vector<std::string> ids;
    for (const auto& [id, point] : points_)
        if (passes(filter, {.id = point.id, .payload = point.payload, .vectors = point.vectors}))
            ids.push_back(id);
    return ids;
}

std::optional<json::object> QdrantCollection::record(const std::string& id) const {
    const auto found = points_.find(id);
    if (found == points_.end()) return std::nullopt;
    // Vectors that are compared by their angle are kept with the length 1.
    json::object vectors;
    for (const auto& [name, values] : found->second.dense) {
        double square = 0;
        for (const float value : values) square += double{value} * value;
        json::array normal;
        for (const float value : values) normal.emplace_back(value / std::sqrt(square));
        vectors[name] = std::move(normal);
    }
    return json::object{
        {"id", found->second.id}, {"payload", found->second.payload}, {"vector", std::move(vectors)}};
}

QdrantCollection::Complaint QdrantCollection::check_query(const json::object& query) const {
    const auto unknown = unknown_field(query, {"prefetch", "query", "using", "limit", "offset", "filter",
                                               "params", "with_payload", "with_vector", "score_threshold"});
    if (!unknown.empty()) return "Format error in JSON body: unknown field " + unknown;
    if (const json::value* filter = query.if_contains("filter"))
        if (auto wrong = wrong_with_filter(*filter, indexed_fields); !wrong.empty())
            return "Format error in JSON body: " + wrong;
    const json::value* asked = query.if_contains("query");
    if (asked == nullptr) return "Wrong input: nothing to query for";
    const json::value* prefetch = query.if_contains("prefetch");
    if (prefetch == nullptr) {
        const json::value* name = query.if_contains("using");
        if (name == nullptr || !name->is_string()) return "Wrong input: Not existing vector name error: ";
        return check_vector(std::string(name->get_string()), *asked);
    }
    if (!prefetch->is_array()) return "Format error in JSON body: a prefetch is a list here";
    if (!asked->is_object() ||
        (!asked->get_object().contains("fusion") && !asked->get_object().contains("rrf")))
        return "Wrong input: only fusions of prefetches are imitated";
    const std::size_t wanted = number_or(query, "limit", 10) + number_or(query, "offset", 0);
    for (const json::value& part : prefetch->get_array()) {
        if (!part.is_object()) return "Format error in JSON body: a prefetch is an object";
        if (number_or(part.get_object(), "limit", 10) < wanted)
            return "Wrong input: a prefetch is shorter than the limit";
        if (auto wrong = check_query(part.get_object()); !wrong.empty()) return wrong;
    }
    return {};
}

double QdrantCollection::idf(const std::string& name, std::uint32_t index) const {
    double with_it = 0, all = 0;
    for (const auto& [id, point] : points_) {
        const auto vector = point.sparse.find(name);
        if (vector == point.sparse.end()) continue;
        ++all;
        if (vector->second.contains(index)) ++with_it;
    }
    return std::log(1 + (all - with_it + 0.5) / (with_it + 0.5));
}

// Weights times their idf: counted once for all points.
QdrantCollection::Asked QdrantCollection::asked_for(const std::string& name, const json::value& query) const {
    if (dense.contains(name)) return {.dense = floats(query)};
    Asked asked{.sparse = sparse_of(query)};
    for (auto& [index, weight] : asked.sparse) weight *= static_cast<float>(idf(name, index));
    return asked;
}

std::optional<double> QdrantCollection::score(const Point& point, const std::string& name,
                                              const Asked& asked) const {
    if (const auto vector = point.dense.find(name); vector != point.dense.end())
        return cosine(vector->second, asked.dense);
    const auto vector = point.sparse.find(name);
    if (vector == point.sparse.end()) return std::nullopt;
    std::optional<double> sum;
    for (const auto& [index, weight] : asked.sparse)
        if (const auto component = vector->second.find(index); component != vector->second.end())
            sum = sum.value_or(0) + static_cast<double>(weight) * component->second;
    return sum;
}

// 1/((position + 1)/weight + k - 1) by each list, with Qdrant's own k of 2 unless another is given.
std::vector<QdrantCollection::Found> QdrantCollection::fuse(const json::object& query) const {
    const json::value* rrf = query.at("query").as_object().if_contains("rrf");
    const double k = rrf != nullptr ? static_cast<double>(number_or(rrf->as_object(), "k", 2)) : 2;
    std::map<std::string, double> scores;
    for (const json::value& part : query.at("prefetch").as_array()) {
        double position = 0;
        for (const Found& found : this->query(part.as_object())) scores[found.id] += 1 / (++position + k - 1);
    }
    std::vector<Found> fused;
    for (const auto& [id, score] : scores) fused.push_back({id, score});
    return fused;
}

std::vector<QdrantCollection::Found> QdrantCollection::query(const json::object& query) const {
    std::vector<Found> found;
    if (query.contains("prefetch")) {
        found = fuse(query);
    } else {
        const json::value* filter = query.if_contains("filter");
        const std::string name(query.at("using").as_string());
        const Asked asked = asked_for(name, query.at("query"));
        for (const std::string& id : ids_passing(filter != nullptr ? *filter : json::object{}))
            if (const auto sum = score(points_.at(id), name, asked)) found.push_back({id, *sum});
    }
    std::ranges::stable_sort(found, std::greater(), &Found::score);
    const std::size_t offset = std::min(found.size(), number_or(query, "offset", 0));
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(offset));
    found.resize(std::min(found.size(), number_or(query, "limit", 10)));
    return found;
}

}  // namespace quarry::test
