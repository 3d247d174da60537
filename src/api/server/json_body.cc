#include "api/server/json_body.h"

#include <boost/json.hpp>

namespace quarry::api {

namespace json = boost::json;

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
