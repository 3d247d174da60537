#include "servers/imitation_tei.h"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "servers/imitation_words.h"

namespace quarry::test {

namespace {

namespace json = boost::json;

void respond_error(Connection& connection, int status, const std::string& error, const char* type) {
    respond_json(connection, status, json::object{{"error", error}, {"error_type", type}});
}

std::optional<std::vector<std::string>> strings_in(const json::value& value) {
    std::vector<std::string> strings;
    if (const json::string* one = value.if_string()) return std::vector{std::string(*one)};
    if (!value.is_array()) return std::nullopt;
    for (const json::value& item : value.get_array()) {
        if (!item.is_string()) return std::nullopt;
        strings.emplace_back(item.get_string());
    }
    return strings;
}

bool is_bool_if_there(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr || value->is_bool();
}

json::array vector_json(const std::string& text, std::size_t dimensions, Fault fault) {
    const auto vector = imitation_vector(text, dimensions - (fault == Fault::wrong_dimensions ? 1 : 0));
    json::array numbers(vector.begin(), vector.end());
    if (fault == Fault::not_a_number) numbers.back() = nullptr;
    return numbers;
}

// What a cross encoder would say: here, the cosine of the imitated embeddings, between 0 and 1.
double score_of(const std::string& query, const std::string& text) {
    constexpr std::size_t dimensions = 256;
    const auto a = imitation_vector(query, dimensions), b = imitation_vector(text, dimensions);
    double product = 0;
    for (std::size_t i = 0; i < dimensions; ++i) product += static_cast<double>(a[i]) * b[i];
    return (product + 1) / 2;
}

}  // namespace

ImitationTei::ImitationTei(ImitationTeiOptions options)
    : options_(std::move(options)), server_(options_.port) {
    conduct.add_control(server_);
    server_.on("/health",
               [](const ServerRequest&, Connection& connection) { connection.respond(200, {}, ""); });
    server_.on("/info", [this](const auto& request, auto& connection) { info(request, connection); });
    server_.on("/embed", [this](const auto& request, auto& connection) { embed(request, connection); });
    server_.on("/rerank", [this](const auto& request, auto& connection) { rerank(request, connection); });
}

void ImitationTei::set_model(ImitatedModel model) {
    model_.with([&](ImitatedModel& known) { known = std::move(model); });
}

ImitatedModel ImitationTei::model() {
    return model_.with([](const ImitatedModel& known) { return known; });
}

bool ImitationTei::is_let_in(const ServerRequest& request, Connection& connection) const {
    if (options_.key.empty() || bearer_key(request) == options_.key) return true;
    connection.respond(401, {}, "");
    return false;
}

void ImitationTei::info(const ServerRequest& request, Connection& connection) {
    if (!is_let_in(request, connection)) return;
    if (request.method != "GET") conduct.complain(request, "not a GET");
    const ImitatedModel known = model();
    const std::size_t batch =
        options_.told_batch_size > 0 ? options_.told_batch_size : options_.max_client_batch_size;
    respond_json(connection, 200,
                 json::object{{"model_id", known.id},
                              {"model_sha", known.sha},
                              {"model_dtype", "float16"},
                              {"served_model_name", known.id},
                              {"model_type", json::object{{options_.kind, json::object{{"pooling", "cls"}}}}},
                              {"max_concurrent_requests", 512},
                              {"max_input_length", options_.max_input_length},
                              {"max_batch_tokens", 16384},
                              {"max_batch_requests", nullptr},
                              {"max_client_batch_size", batch},
                              {"auto_truncate", true},
                              {"tokenization_workers", 4},
                              {"version", "1.9.3"},
                              {"sha", nullptr},
                              {"docker_label", nullptr}});
}

bool ImitationTei::commit(Fault fault, const ServerRequest& request, Connection& connection) const {
    switch (fault) {
        case Fault::refuse_key: connection.respond(401, {}, ""); return true;
        case Fault::forbid: connection.respond(403, {}, ""); return true;
        case Fault::too_large:
            connection.respond(413, {}, "Failed to buffer the request body: length limit exceeded");
            return true;
        case Fault::batch_size:
            respond_error(connection, 422, "batch size 33 > maximum allowed batch size 32", "Validation");
            return true;
        case Fault::too_long:
            respond_error(connection, 422,
                          "Input validation error: `inputs` must have less than 512 tokens. Given: 513",
                          "Validation");
            return true;
        case Fault::overloaded:
            respond_error(connection, 429, "Model is overloaded", "Overloaded");
            return true;
        case Fault::overloaded_7s: connection.respond(429, {{"Retry-After", "7"}}, "slow down"); return true;
        case Fault::overloaded_1h:
            connection.respond(429, {{"Retry-After", "3600"}}, "slow down");
            return true;
        case Fault::backend:
            respond_error(connection, 424, "Backend error: out of memory", "Backend");
            return true;
        case Fault::unavailable: respond_error(connection, 503, "unhealthy", "Unhealthy"); return true;
        case Fault::out_of_storage: connection.respond(507, {}, ""); return true;
        default: return commit_fault(fault, request, connection);
    }
}

void ImitationTei::refuse_shape(const ServerRequest& request, const std::string& about,
                                Connection& connection) {
    conduct.complain(request, about);
    connection.respond(422, {{"Content-Type", "text/plain; charset=utf-8"}},
                       "Failed to deserialize the JSON body into the target type: " + about);
}

bool ImitationTei::is_within_limits(const std::vector<std::string>& texts, Connection& connection) const {
    if (texts.empty()) {
        respond_error(connection, 400, "`inputs` cannot be empty", "Empty");
        return false;
    }
    if (texts.size() > options_.max_client_batch_size) {
        respond_error(connection, 422,
                      fmt::format("batch size {} > maximum allowed batch size {}", texts.size(),
                                  options_.max_client_batch_size),
                      "Validation");
        return false;
    }
    for (const std::string& text : texts) {
        const std::size_t tokens = imitation_tokens(text);
        if (tokens <= options_.max_input_length) continue;
        respond_error(connection, 422,
                      fmt::format("Input validation error: `inputs` must have less than {} tokens. Given: {}",
                                  options_.max_input_length, tokens),
                      "Validation");
        return false;
    }
    return true;
}

void ImitationTei::embed(const ServerRequest& request, Connection& connection) {
    if (!is_let_in(request, connection)) return;
    const ImitationConduct::Turn turn(conduct, connection);
    if (commit(turn.fault(), request, connection)) return;
    if (commit(conduct.faults.of_body(request.body), request, connection)) return;
    if (request.body.size() > options_.payload_limit) {
        connection.respond(413, {}, "Failed to buffer the request body: length limit exceeded");
        return;
    }
    const auto body = parse_body(request);
    const json::object* object = body ? body->if_object() : nullptr;
    const json::value* inputs = object != nullptr ? object->if_contains("inputs") : nullptr;
    const auto texts = inputs != nullptr ? strings_in(*inputs) : std::nullopt;
    if (!texts) return refuse_shape(request, "missing field `inputs`", connection);
    const std::string unknown = unknown_field(
        *object, {"inputs", "normalize", "truncate", "truncation_direction", "prompt_name", "dimensions"});
    if (!unknown.empty()) return refuse_shape(request, "unknown field " + unknown, connection);
    if (!is_bool_if_there(*object, "normalize") || !is_bool_if_there(*object, "truncate"))
        return refuse_shape(request, "invalid type, expected a boolean", connection);
    if (!is_within_limits(*texts, connection)) return;

    const std::size_t dimensions = model().dimensions;
    json::array vectors;
    for (const std::string& text : *texts) vectors.push_back(vector_json(text, dimensions, turn.fault()));
    if (turn.fault() == Fault::wrong_count) vectors.pop_back();
    conduct.answer(connection, vectors);
}

void ImitationTei::rerank(const ServerRequest& request, Connection& connection) {
    if (!is_let_in(request, connection)) return;
    const ImitationConduct::Turn turn(conduct, connection);
    if (commit(turn.fault(), request, connection)) return;
    const auto body = parse_body(request);
    const json::object* object = body ? body->if_object() : nullptr;
    const json::value* query = object != nullptr ? object->if_contains("query") : nullptr;
    const json::value* list = object != nullptr ? object->if_contains("texts") : nullptr;
    const auto texts = list != nullptr && list->is_array() ? strings_in(*list) : std::nullopt;
    if (query == nullptr || !query->is_string() || !texts)
        return refuse_shape(request, "missing field `query` or `texts`", connection);
    const std::string unknown = unknown_field(
        *object, {"query", "texts", "truncate", "truncation_direction", "raw_scores", "return_text"});
    if (!unknown.empty()) return refuse_shape(request, "unknown field " + unknown, connection);
    if (!is_within_limits(*texts, connection)) return;

    std::vector<std::pair<double, std::size_t>> ranks;
    for (std::size_t i = 0; i < texts->size(); ++i)
        ranks.emplace_back(score_of(std::string(query->get_string()), (*texts)[i]), i);
    std::ranges::sort(ranks, std::greater());
    json::array answer;
    for (const auto& [score, index] : ranks)
        answer.push_back(json::object{{"index", index}, {"score", score}});
    if (turn.fault() == Fault::wrong_count) answer.pop_back();
    if (turn.fault() == Fault::not_a_number) answer.back().as_object()["score"] = nullptr;
    conduct.answer(connection, answer);
}

}  // namespace quarry::test
