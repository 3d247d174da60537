#include "work/page_address.h"

#include <fmt/format.h>

namespace quarry::work {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view white = " \t\r\n";
    const std::size_t first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

// "localhost:8080" would be a URL of scheme "localhost"; what follows the colon tells that it is a port.
bool lacks_scheme(std::string_view text) {
    const std::size_t end = text.find_first_of(":/?#");
    if (end == std::string_view::npos || text[end] != ':') return true;
    return end + 1 < text.size() && text[end + 1] >= '0' && text[end + 1] <= '9';
}

}  // namespace

Result<url::Url> parse_page_address(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return fail(ErrorCode::invalid_argument, "Invalid URL: it is empty");
    auto url = url::Url::parse(lacks_scheme(text) ? fmt::format("http://{}", text) : std::string(text));
    if (!url) return url;
    if (!url->is_http()) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("Invalid URL \"{}\": quarry fetches http and https, not {}", text, url->scheme()));
    }
    return url;
}

}  // namespace quarry::work
