// MIME types as the WHATWG MIME Sniffing standard parses them: what browsers make of a Content-Type header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::text {

struct MimeType {
    std::string essence{};                                          // "text/html", in lower case
    std::vector<std::pair<std::string, std::string>> parameters{};  // names in lower case, each once

    // The value of a parameter, or "".
    std::string_view parameter(std::string_view name) const;
    std::string_view charset() const { return parameter("charset"); }
};

// Nothing for values that are no MIME type. Bytes above 0x7F are allowed where the standard allows them.
// Linear, but for the number of parameters, which is capped at 64.
std::optional<MimeType> parse_mime_type(std::string_view text);

// "text/html;charset=utf-8", quoting values where they need it.
std::string serialize(const MimeType& type);

}  // namespace quarry::text
