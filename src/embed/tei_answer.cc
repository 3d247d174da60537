#include "embed/tei_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "embed/answers.h"

namespace quarry::embed {

namespace {

namespace json = boost::json;

constexpr int largest_limit = 1'000'000'000;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Of a limit that cannot be, the default is kept.
void read_limit(const json::object& object, std::string_view key, int& limit) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 1) return;
    limit = static_cast<int>(std::min<std::int64_t>(value->get_int64(), largest_limit));
}

// {"embedding":{…}}, {"classifier":{…}} or {"reranker":{…}}.
std::string kind_of(const json::object& info) {
    const json::value* type = info.if_contains("model_type");
    if (type == nullptr || !type->is_object() || type->get_object().empty()) return {};
    return lower_case(type->get_object().begin()->key());
}

std::string_view without_prefix(std::string_view words) {
    for (const std::string_view prefix : {"Input validation error: ", "tokenizer error ", "Backend error: "})
        if (words.starts_with(prefix)) return words.substr(prefix.size());
    return words;
}

struct Rank {
    std::size_t index = 0;
    float score = 0;
};

std::optional<Rank> read_rank(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return std::nullopt;
    const json::value* index = object->if_contains("index");
    const json::value* score = object->if_contains("score");
    if (index == nullptr || score == nullptr || !score->is_number()) return std::nullopt;
    if (!index->is_int64() || index->get_int64() < 0) return std::nullopt;
    json::error_code error;
    const auto number = static_cast<float>(score->to_number<double>(error));
    if (error || !std::isfinite(number)) return std::nullopt;
    return Rank{static_cast<std::size_t>(index->get_int64()), number};
}

}  // namespace

Result<TeiInfo> parse_tei_info(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::object* object = answer.if_object();
    if (object == nullptr || text_at(*object, "model_id").empty())
        return fail(ErrorCode::corrupt, "the answer of /info names no model");
    TeiInfo info{.model = text_at(*object, "model_id"),
                 .sha = text_at(*object, "model_sha"),
                 .kind = kind_of(*object)};
    read_limit(*object, "max_client_batch_size", info.max_client_batch_size);
    read_limit(*object, "max_input_length", info.max_input_length);
    read_limit(*object, "max_batch_tokens", info.max_batch_tokens);
    read_limit(*object, "max_concurrent_requests", info.max_concurrent_requests);
    return info;
}

Result<std::vector<Vector>> parse_tei_vectors(std::string_view body) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::array* list = answer.if_array();
    if (list == nullptr) return fail(ErrorCode::corrupt, "the answer is not a list of vectors");
    std::vector<Vector> vectors;
    vectors.reserve(list->size());
    for (const json::value& value : *list) vectors.push_back(TRY(read_vector(value)));
    return vectors;
}

Result<std::vector<float>> parse_tei_scores(std::string_view body, std::size_t texts) {
    const json::value answer = TRY(parse_json_answer(body));
    const json::array* list = answer.if_array();
    if (list == nullptr || list->size() != texts)
        return fail(ErrorCode::corrupt, fmt::format("the answer is not a list of {} scores", texts));
    std::vector<float> scores(texts, NAN);
    for (const json::value& value : *list) {
        const auto rank = read_rank(value);
        if (!rank || rank->index >= texts || !std::isnan(scores[rank->index]))
            return fail(ErrorCode::corrupt, "the answer has a score that belongs to no text");
        scores[rank->index] = rank->score;
    }
    return scores;
}

TeiRefusal tei_refusal(int status, std::string_view words) {
    if (status == 413) return TeiRefusal::batch_too_large;
    if (status != 422) return TeiRefusal::other;
    const std::string_view reason = without_prefix(words);
    if (reason.starts_with("batch size")) return TeiRefusal::batch_too_large;
    return reason.find("tokens") != reason.npos ? TeiRefusal::input_too_long : TeiRefusal::other;
}

}  // namespace quarry::embed
