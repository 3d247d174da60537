#include "browser/message.h"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::browser {
namespace {

namespace json = boost::json;

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_words = 300;  // of an error, which a page may have written

Error error_of(const json::object& error) {
    const std::string_view words = text_at(error, "message").substr(0, max_words);
    return {ErrorCode::unavailable, words.empty() ? "the browser refused a command" : std::string(words)};
}

}  // namespace

Result<Message> parse_message(std::string_view text) {
    boost::system::error_code problem;
    json::parse_options options;
    options.max_depth = max_depth;
    // Strings may hold halves of characters, which JavaScript allows: they are a page's business.
    options.allow_invalid_utf8 = true;
    json::value value = json::parse(text, problem, {}, options);
    if (problem || !value.is_object()) return fail(ErrorCode::corrupt, "the browser's message is not JSON");
    json::object& object = value.get_object();
    Message message{.method = std::string(text_at(object, "method")),
                    .session = std::string(text_at(object, "sessionId"))};
    if (const json::value* id = object.if_contains("id"); id && id->is_int64()) message.id = id->get_int64();
    if (message.id.has_value() == !message.method.empty())
        return fail(ErrorCode::corrupt, "the browser's message is neither an answer nor an event");
    if (const json::value* error = object.if_contains("error"); error && error->is_object())
        message.error = error_of(error->get_object());
    if (json::value* content = object.if_contains(message.id ? "result" : "params");
        content && content->is_object())
        message.content = std::move(content->get_object());
    return message;
}

std::optional<std::int64_t> id_of_beginning(std::string_view beginning) {
    constexpr std::string_view start = "{\"id\":";
    if (!beginning.starts_with(start)) return std::nullopt;
    beginning.remove_prefix(start.size());
    std::int64_t id = 0;
    const auto [end, problem] = std::from_chars(beginning.data(), beginning.data() + beginning.size(), id);
    if (problem != std::errc() || end == beginning.data() + beginning.size() || *end != ',')
        return std::nullopt;
    return id;
}

std::string_view text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

double number_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (!value || !value->is_number()) return 0;
    boost::system::error_code problem;
    const double number = value->to_number<double>(problem);
    return problem ? 0 : number;
}

bool flag_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_bool() && value->get_bool();
}

const json::object& object_at(const json::object& object, std::string_view key) {
    static const json::object nothing;
    const json::value* value = object.if_contains(key);
    return value && value->is_object() ? value->get_object() : nothing;
}

}  // namespace quarry::browser
