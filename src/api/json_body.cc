#include "api/json_body.h"

#include <boost/json.hpp>

namespace quarry::api {

namespace json = boost::json;

Result<json::object> parse_json_object(std::string_view text) {
    constexpr std::size_t most_bytes = 10u << 20;
    // Deeper than any request, shallower than any stack.
    constexpr std::size_t most_depth = 64;
    if (text.empty()) return json::object();
    if (text.size() > most_bytes)
        return fail(ErrorCode::too_large, "a request of more than 10 MB is not read");
    json::parse_options options;
    options.max_depth = most_depth;
    json::error_code error;
    json::value value = json::parse(text, error, {}, options);
    if (error) return fail(ErrorCode::invalid_argument, "the body is no JSON: " + error.message());
    if (!value.is_object()) return fail(ErrorCode::invalid_argument, "the body has to be a JSON object");
    return std::move(value.get_object());
}

}  // namespace quarry::api
