#include "chat/model.h"

#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "embed/answers.h"
#include "embed/openai.h"

namespace quarry::chat {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 32;

const json::value* at(const json::value* value, std::string_view key) {
    const json::object* object = value != nullptr ? value->if_object() : nullptr;
    return object != nullptr ? object->if_contains(key) : nullptr;
}

const json::value* first_of(const json::value* value) {
    const json::array* list = value != nullptr ? value->if_array() : nullptr;
    return list != nullptr && !list->empty() ? &list->front() : nullptr;
}

std::string text_of(const json::value* value) {
    if (value == nullptr) return {};
    if (const json::string* text = value->if_string()) return std::string(*text);
    std::string joined;
    if (const json::array* parts = value->if_array())
        for (const json::value& part : *parts) joined += text_of(at(&part, "text"));
    return joined;
}

std::string_view without_thoughts(std::string_view text) {
    constexpr std::string_view end = "</think>";
    const std::size_t found = text.rfind(end);
    return trimmed(found == text.npos ? text : text.substr(found + end.size()));
}

// The value that the text begins with; nothing if it begins with none that ends.
std::optional<json::value> leading_json(std::string_view text) {
    json::parse_options options;
    options.max_depth = deepest;
    json::stream_parser parser({}, options);
    json::error_code error;
    parser.write_some(text.data(), text.size(), error);
    if (error || !parser.done()) return std::nullopt;
    return parser.release();
}

}  // namespace

Result<ModelAnswer> parse_model_answer(std::string_view body) {
    json::parse_options options;
    options.max_depth = deepest;
    json::error_code error;
    const json::value answer = json::parse(body, error, {}, options);
    if (error) return fail(ErrorCode::corrupt, "the answer is not JSON: " + error.message());
    const json::value* choice = first_of(at(&answer, "choices"));
    const json::value* message = at(choice, "message");
    if (message == nullptr) return fail(ErrorCode::corrupt, "the answer has no message of a model");
    ModelAnswer found{.text = text_of(at(at(first_of(at(message, "tool_calls")), "function"), "arguments")),
                      .was_cut = text_of(at(choice, "finish_reason")) == "length"};
    if (found.text.empty()) found.text = text_of(at(message, "content"));
    if (const std::string refusal = text_of(at(message, "refusal")); found.text.empty() && !refusal.empty())
        return fail(ErrorCode::refused, "the model does not answer: " + refusal.substr(0, 200));
    return found;
}

std::optional<json::value> json_in(std::string_view text) {
    text = without_thoughts(text);
    constexpr int most_beginnings = 16;
    std::size_t from = 0;
    for (int i = 0; i < most_beginnings; ++i) {
        from = text.find_first_of("{[", from);
        if (from == text.npos) break;
        if (auto value = leading_json(text.substr(from))) return value;
        ++from;
    }
    return std::nullopt;
}

namespace {

namespace json = boost::json;

constexpr std::string_view tool_name = "give_data";

std::string without_version(std::string url) {
    while (url.ends_with('/')) url.pop_back();
    if (url.ends_with("/v1")) url.resize(url.size() - 3);
    return url;
}

json::value schema_or_any(const Question& question) {
    return question.schema != nullptr ? *question.schema : json::value(json::object{{"type", "object"}});
}

}  // namespace

Result<std::unique_ptr<Model>> Model::open(ModelConfig config, net::HttpClient& client) {
    if (config.name.empty())
        return fail(ErrorCode::invalid_argument, "name the model that is to be asked: set model.name");
    embed::Service service = TRY(embed::Service::open({.name = config.name,
                                                       .url = without_version(config.url),
                                                       .key = config.key,
                                                       .key_setting = "model.key",
                                                       .timeout = config.timeout,
                                                       .connect_timeout = config.connect_timeout,
                                                       .max_answer_bytes = std::uint64_t{8} << 20,
                                                       .time = config.time},
                                                      client));
    return std::unique_ptr<Model>(new Model(std::move(config), std::move(service)));
}

Model::Model(ModelConfig config, embed::Service service)
    : config_(std::move(config)), service_(std::move(service)) {}

json::object Model::request_for(const Question& question) const {
    json::array messages;
    messages.push_back(json::object{{"role", "system"}, {"content", question.instructions}});
    messages.push_back(json::object{{"role", "user"}, {"content", question.text}});
    return {{"model", config_.name}, {"messages", std::move(messages)}};
}

void Model::want_json(json::object& request, const Question& question, JsonMode mode) {
    switch (mode) {
        case JsonMode::schema:
            request["response_format"] = {
                {"type", "json_schema"},
                {"json_schema", {{"name", tool_name}, {"schema", schema_or_any(question)}}}};
            return;
        case JsonMode::object: request["response_format"] = {{"type", "json_object"}}; return;
        case JsonMode::tool: {
            json::object function{{"name", tool_name}, {"parameters", schema_or_any(question)}};
            json::array tools;
            tools.push_back(json::object{{"type", "function"}, {"function", std::move(function)}});
            request["tools"] = std::move(tools);
            request["tool_choice"] = {{"type", "function"}, {"function", {{"name", tool_name}}}};
            return;
        }
        case JsonMode::words: return;
    }
}

Result<std::string> Model::ask(const Question& question, const std::stop_token& stop) {
    bool ignored = false;
    return send(request_for(question), ignored, stop);
}

Result<json::value> Model::ask_json(const Question& question, const std::stop_token& stop) {
    for (JsonMode mode = mode_;; mode = static_cast<JsonMode>(std::to_underlying(mode) + 1)) {
        json::object request = request_for(question);
        want_json(request, question, mode);
        bool is_mode_refused = false;
        auto text = send(request, is_mode_refused, stop);
        if (!text && is_mode_refused && mode != JsonMode::words) continue;
        const std::string said = TRY(std::move(text));
        mode_ = mode;
        auto value = json_in(said);
        if (!value)
            return fail(ErrorCode::corrupt, fmt::format("{} did not answer in JSON", service_.name()));
        return *std::move(value);
    }
}

Result<std::string> Model::send(const json::object& request, bool& is_mode_refused,
                                const std::stop_token& stop) {
    const auto response = TRY(service_.post("/v1/chat/completions", json::serialize(request), stop));
    if (response.status != 200) {
        const std::string words = embed::words_of_error(response.body);
        Error error = service_.error_of(response.status, words);
        if (embed::is_refused_for_size(response.status, words))
            error.code = ErrorCode::too_large;
        else
            is_mode_refused = response.status == 400 || response.status == 422;
        return std::unexpected(std::move(error));
    }
    auto answer = parse_model_answer(response.body);
    if (!answer)
        return fail(answer.error().code, fmt::format("{}: {}", service_.name(), answer.error().message));
    if (answer->was_cut)
        return fail(ErrorCode::too_large,
                    fmt::format("{} had no room to finish its answer", service_.name()));
    return std::move(answer->text);
}

}  // namespace quarry::chat
