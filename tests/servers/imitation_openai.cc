#include "servers/imitation_openai.h"

#include <bit>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "servers/imitation_words.h"

namespace quarry::test {

namespace {

namespace json = boost::json;
using Errors = ImitationOpenAiOptions::Errors;

std::string base64_of(const std::vector<float>& vector) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes, text;
    for (const float component : vector)
        for (int shift = 0; shift < 32; shift += 8)
            bytes += static_cast<char>(std::bit_cast<std::uint32_t>(component) >> shift);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j)
            three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j <= bytes.size() ? digits[three >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

}  // namespace

ImitationOpenAi::ImitationOpenAi(ImitationOpenAiOptions options)
    : options_(std::move(options)), server_(options_.port) {
    conduct.add_control(server_);
    server_.on("/v1/embeddings",
               [this](const auto& request, auto& connection) { embed(request, connection); });
}

void ImitationOpenAi::set_answered_model(std::string name) {
    answered_model_.with([&](std::string& known) { known = std::move(name); });
}

void ImitationOpenAi::respond_error(Connection& connection, int status, const std::string& message,
                                    std::vector<Header> headers) const {
    json::object body{{"error", json::object{{"message", message},
                                             {"type", "invalid_request_error"},
                                             {"param", nullptr},
                                             {"code", nullptr}}}};
    if (options_.errors == Errors::flat)
        body = {{"message", message}, {"code", status}, {"error_type", "Validation"}};
    headers.push_back({"Content-Type", "application/json"});
    connection.respond(status, headers, options_.errors == Errors::plain ? message : json::serialize(body));
}

bool ImitationOpenAi::commit(Fault fault, const ServerRequest& request, Connection& connection) const {
    switch (fault) {
        case Fault::refuse_key: respond_error(connection, 401, "Incorrect API key provided"); return true;
        case Fault::forbid: respond_error(connection, 403, "Country not supported"); return true;
        case Fault::too_large: connection.respond(413, {}, "Payload Too Large"); return true;
        case Fault::batch_size: respond_error(connection, 400, "too many inputs"); return true;
        case Fault::too_long:
            respond_error(connection, 400, "maximum context length is 8192 tokens");
            return true;
        case Fault::overloaded: respond_error(connection, 429, "Rate limit reached"); return true;
        case Fault::overloaded_7s:
            respond_error(connection, 429, "Rate limit reached", {{"retry-after", "7"}});
            return true;
        case Fault::overloaded_1h:
            respond_error(connection, 429, "You exceeded your quota", {{"retry-after", "3600"}});
            return true;
        case Fault::backend: respond_error(connection, 424, "Backend error"); return true;
        case Fault::unavailable: respond_error(connection, 503, "loading the model"); return true;
        default: return commit_fault(fault, request, connection);
    }
}

std::string ImitationOpenAi::read(const ServerRequest& request, Asked& asked) const {
    const auto body = parse_body(request);
    const json::object* object = body ? body->if_object() : nullptr;
    if (object == nullptr) return "the body is not JSON";
    const std::string unknown =
        unknown_field(*object, {"model", "input", "encoding_format", "dimensions", "user"});
    if (!unknown.empty()) return "Unrecognized request argument supplied: " + unknown;
    const json::value* model = object->if_contains("model");
    const json::value* input = object->if_contains("input");
    if (model == nullptr || !model->is_string()) return "you must provide a model parameter";
    if (input == nullptr || !input->is_array() || input->get_array().empty()) return "'$.input' is invalid";
    asked.model = model->get_string();
    for (const json::value& text : input->get_array()) {
        if (!text.is_string() || text.get_string().empty()) return "'$.input' is invalid";
        asked.texts.emplace_back(text.get_string());
    }
    asked.dimensions = options_.dimensions;
    if (const json::value* dimensions = object->if_contains("dimensions")) {
        if (!dimensions->is_int64() || dimensions->get_int64() < 1) return "'$.dimensions' is invalid";
        asked.dimensions = static_cast<std::size_t>(dimensions->get_int64());
    }
    if (const json::value* format = object->if_contains("encoding_format")) {
        if (*format != "float" && *format != "base64") return "'$.encoding_format' is invalid";
        asked.wants_base64 = *format == "base64";
    }
    return {};
}

std::string ImitationOpenAi::over_limit(const Asked& asked) const {
    if (asked.texts.size() > options_.most_inputs)
        return fmt::format("too many inputs: at most {} are allowed", options_.most_inputs);
    std::size_t sum = 0;
    for (const std::string& text : asked.texts) {
        const std::size_t tokens = imitation_tokens(text);
        if (tokens > options_.most_tokens)
            return fmt::format(
                "This model's maximum context length is {} tokens, however you requested {} tokens",
                options_.most_tokens, tokens);
        sum += tokens;
    }
    if (sum > options_.most_tokens_summed)
        return fmt::format("Requested {} tokens, max {} tokens per request", sum,
                           options_.most_tokens_summed);
    return {};
}

json::value ImitationOpenAi::item(const Asked& asked, std::size_t index, Fault fault) const {
    auto vector =
        imitation_vector(asked.texts[index], asked.dimensions - (fault == Fault::wrong_dimensions ? 1 : 0));
    for (float& component : vector) component *= 3;  // Not every server normalises.
    json::value embedding = json::array(vector.begin(), vector.end());
    if (asked.wants_base64 || options_.answers_base64) embedding = json::value(base64_of(vector));
    if (fault == Fault::not_a_number) embedding = json::array{nullptr};
    return json::object{{"object", "embedding"}, {"index", index}, {"embedding", embedding}};
}

void ImitationOpenAi::embed(const ServerRequest& request, Connection& connection) {
    if (!options_.key.empty() && bearer_key(request) != options_.key)
        return respond_error(connection, 401, "Incorrect API key provided: " + bearer_key(request));
    const ImitationConduct::Turn turn(conduct, connection);
    if (commit(turn.fault(), request, connection)) return;
    Asked asked;
    if (const std::string wrong = read(request, asked); !wrong.empty()) {
        conduct.complain(request, wrong);
        return respond_error(connection, 400, wrong);
    }
    if (const std::string over = over_limit(asked); !over.empty())
        return respond_error(connection, 400, over);

    json::array data;
    for (std::size_t i = asked.texts.size(); i-- > 0;) data.push_back(item(asked, i, turn.fault()));
    if (turn.fault() == Fault::wrong_count) data.erase(data.begin());
    std::string model = answered_model_.with([](const std::string& name) { return name; });
    if (model.empty()) model = asked.model;
    conduct.answer(connection,
                   json::object{{"object", "list"},
                                {"data", data},
                                {"model", model},
                                {"usage", json::object{{"prompt_tokens", 8}, {"total_tokens", 8}}}});
}

}  // namespace quarry::test
