#include "chat/model_answer.h"

#include <boost/json.hpp>

#include "base/ascii.h"

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

}  // namespace quarry::chat
