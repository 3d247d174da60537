#include "api/server/fields.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "url/url.h"

namespace quarry::api {

namespace json = boost::json;

const json::value* Fields::any(std::string_view name) const {
    const json::value* value = object_.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
}

void Fields::reject(std::string_view name, std::string message) {
    issues_.push_back({.path = path_of(name), .message = std::move(message)});
}

std::optional<bool> Fields::flag(std::string_view name) {
    const json::value* value = any(name);
    if (!value) return std::nullopt;
    if (value->is_bool()) return value->get_bool();
    reject(name, "has to be true or false");
    return std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view name) {
    const json::value* value = any(name);
    if (!value) return std::nullopt;
    if (value->is_string()) return std::string(value->get_string());
    reject(name, "has to be a text");
    return std::nullopt;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name) {
    const json::value* value = any(name);
    if (!value) return std::nullopt;
    if (value->is_string()) return std::vector{std::string(value->get_string())};
    std::vector<std::string> texts;
    if (const json::array* list = value->if_array()) {
        for (const json::value& item : *list)
            if (item.is_string()) texts.emplace_back(item.get_string());
        if (texts.size() == list->size()) return texts;
    }
    reject(name, "has to be a list of texts");
    return std::nullopt;
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t least, std::int64_t most) {
    const json::value* value = any(name);
    if (!value) return std::nullopt;
    json::error_code error;
    const auto number = value->is_number() ? value->to_number<std::int64_t>(error) : 0;
    if (!value->is_number() || error) {
        reject(name, "has to be a whole number");
        return std::nullopt;
    }
    if (number < least || number > most) {
        const bool has_most = most != std::numeric_limits<std::int64_t>::max();
        reject(name, has_most ? fmt::format("has to be from {} to {}", least, most)
                              : fmt::format("has to be {} or more", least));
        return std::nullopt;
    }
    return number;
}

std::optional<std::string> read_page_url(std::string_view text) {
    constexpr std::size_t longest_url = 8'192;
    if (text.size() > longest_url) return std::nullopt;
    const auto url = url::parse_page_address(text);
    if (!url) return std::nullopt;
    return url->href();
}

std::optional<std::string> Fields::url(std::string_view name) {
    if (!any(name)) reject(name, "is missing");
    const auto text = this->text(name);
    if (!text) return std::nullopt;
    auto url = read_page_url(*text);
    if (!url) reject(name, "is no http or https URL");
    return url;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
    const json::value* value = any(name);
    if (!value) return std::nullopt;
    json::error_code error;
    const auto number = value->is_number() ? value->to_number<double>(error) : 0;
    if (value->is_number() && !error && number >= least && number <= most) return number;
    reject(name, fmt::format("has to be a number from {} to {}", least, most));
    return std::nullopt;
}

const json::object* Fields::object(std::string_view name) {
    const json::value* value = any(name);
    if (!value) return nullptr;
    if (value->is_object()) return &value->get_object();
    reject(name, "has to be an object");
    return nullptr;
}

const json::array* Fields::array(std::string_view name) {
    const json::value* value = any(name);
    if (!value) return nullptr;
    if (value->is_array()) return &value->get_array();
    reject(name, "has to be a list");
    return nullptr;
}

namespace {

// At most so many: with each element of a list or an object comes one of these. What stands in a text says
// nothing.
std::size_t count_values(std::string_view text) {
    std::size_t count = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ',' || c == '[' || c == '{') ++count;
        if (c != '"') continue;
        while (++at < text.size() && text[at] != '"')
            if (text[at] == '\\') ++at;
    }
    return count;
}

}  // namespace

Result<json::object> parse_json_object(std::string_view text) {
    constexpr std::size_t most_bytes = 10u << 20;
    // Deeper than any request, shallower than any stack.
    constexpr std::size_t most_depth = 64;
    if (text.empty()) return json::object();
    if (text.size() > most_bytes)
        return fail(ErrorCode::too_large, "a request of more than 10 MB is not read");
    // A value takes up to 64 bytes, also where it came in four: 10 MB of them would hold 160.
    constexpr std::size_t most_values = 500'000;
    if (count_values(text) > most_values)
        return fail(ErrorCode::too_large, "a request of more than 500,000 values is not read");
    json::parse_options options;
    options.max_depth = most_depth;
    json::error_code error;
    json::value value = json::parse(text, error, {}, options);
    if (error) return fail(ErrorCode::invalid_argument, "the body is no JSON: " + error.message());
    if (!value.is_object()) return fail(ErrorCode::invalid_argument, "the body has to be a JSON object");
    return std::move(value.get_object());
}

}  // namespace quarry::api
