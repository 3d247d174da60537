#include "servers/imitation_chat.h"

#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::test {

namespace {

namespace json = boost::json;

// What stands behind "name:" at the beginning of a line; "" if no line begins so.
std::string value_in(const std::string& text, const std::string& name) {
    const std::string lower = lower_case(text);
    const std::size_t found = lower.find("\n" + lower_case(name) + ":");
    if (found == text.npos) return {};
    const std::size_t from = found + name.size() + 2;
    return std::string(trimmed(std::string_view(text).substr(from, text.find('\n', from) - from)));
}

json::value typed(const std::string& text, const json::value& schema) {
    const json::object* object = schema.if_object();
    const json::value* type = object != nullptr ? object->if_contains("type") : nullptr;
    if (type != nullptr && (*type == "number" || *type == "integer"))
        return std::strtol(text.c_str(), nullptr, 10);
    return json::value(text);
}

std::string page_of(const std::string& text) {
    const std::size_t page = text.find("\n\n", text.find("The page "));
    return page == text.npos ? std::string() : std::string(trimmed(text.substr(page)));
}

void respond_error(Connection& connection, int status, const std::string& message) {
    respond_json(
        connection, status,
        json::object{{"error", json::object{{"message", message}, {"type", "invalid_request_error"}}}});
}

}  // namespace

ImitationChat::ImitationChat(ImitationChatOptions options)
    : options_(std::move(options)), server_(options_.port) {
    conduct.add_control(server_);
    server_.on("/v1/chat/completions",
               [this](const auto& request, auto& connection) { converse(request, connection); });
}

void ImitationChat::say_next(std::vector<std::string> words) {
    scripted_.with([&](auto& scripted) { scripted.assign(words.begin(), words.end()); });
}

std::vector<std::string> ImitationChat::heard() {
    return heard_.with([](const auto& heard) { return heard; });
}

std::string ImitationChat::read(const json::object& body, Asked& asked) const {
    const std::string unknown =
        unknown_field(body, {"model", "messages", "response_format", "tools", "tool_choice"});
    if (!unknown.empty()) return "Unrecognized request argument supplied: " + unknown;
    const json::value* messages = body.if_contains("messages");
    if (!body.contains("model") || messages == nullptr || !messages->is_array())
        return "model and messages are required";
    for (const json::value& message : messages->get_array())
        asked.text += std::string(message.at("content").as_string()) + "\n";
    if (const json::value* format = body.if_contains("response_format"))
        if (const json::value* wanted = format->as_object().if_contains("json_schema"))
            asked.schema = wanted->at("schema").as_object();
    if (const json::value* tools = body.if_contains("tools")) {
        asked.wants_tool = true;
        asked.schema = tools->at(0).at("function").at("parameters").as_object();
    }
    return {};
}

std::string ImitationChat::answer_to(const Asked& asked) {
    const json::value* properties = asked.schema.if_contains("properties");
    if (properties == nullptr) return "The page begins: " + page_of(asked.text).substr(0, 40);
    json::object answer;
    for (const auto& property : properties->as_object())
        if (const std::string value = value_in(asked.text, property.key()); !value.empty())
            answer[property.key()] = typed(value, property.value());
    return json::serialize(answer);
}

void ImitationChat::converse(const ServerRequest& request, Connection& connection) {
    if (!options_.key.empty() && bearer_key(request) != options_.key)
        return respond_error(connection, 401, "Incorrect API key provided");
    const ImitationConduct::Turn turn(conduct, connection);
    if (commit_fault(turn.fault(), request, connection)) return;
    const auto body = parse_body(request);
    Asked asked;
    const std::string wrong =
        body && body->is_object() ? read(body->get_object(), asked) : "the body is not JSON";
    if (!wrong.empty()) {
        conduct.complain(request, wrong);
        return respond_error(connection, 400, wrong);
    }
    const json::value* format = body->get_object().if_contains("response_format");
    const bool wants_schema = format != nullptr && format->at("type") == "json_schema";
    const bool is_refused = (wants_schema && !options_.takes_schema) ||
                            (format != nullptr && !wants_schema && !options_.takes_json_object) ||
                            (asked.wants_tool && !options_.takes_tools);
    if (is_refused) return respond_error(connection, 400, "this way of asking for JSON is not supported");
    if (asked.text.size() > options_.most_bytes)
        return respond_error(connection, 400, "This model's maximum context length is exceeded");

    heard_.with([&](auto& heard) { heard.push_back(asked.text); });
    std::string words = scripted_.with([](auto& scripted) {
        std::string next = scripted.empty() ? std::string() : scripted.front();
        if (!scripted.empty()) scripted.pop_front();
        return next;
    });
    if (words.empty()) words = answer_to(asked);
    json::object message{{"role", "assistant"},
                         {"content", asked.wants_tool ? json::value() : json::value(words)}};
    if (asked.wants_tool)
        message["tool_calls"] = json::array{json::object{
            {"id", "1"}, {"type", "function"}, {"function", {{"name", "give_data"}, {"arguments", words}}}}};
    json::array choices;
    choices.push_back(json::object{{"index", 0}, {"finish_reason", "stop"}, {"message", std::move(message)}});
    conduct.answer(connection, json::object{{"object", "chat.completion"}, {"choices", std::move(choices)}});
}

}  // namespace quarry::test
