#include "chat/model.h"

#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chat/model_answer.h"
#include "embed/openai_answer.h"
#include "embed/service_words.h"

namespace quarry::chat {

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
