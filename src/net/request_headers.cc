#include "net/request_headers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "net/header_text.h"

namespace quarry::net {

namespace {

// These frame the message or the connection. A wrong one makes two parties disagree about where a request
// ends.
constexpr std::string_view reserved_names[] = {
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
};

Result<void> check_header(const Header& header) {
    if (header.name.empty() || !std::ranges::all_of(header.name, is_http_token_character))
        return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is not a header name", header.name));
    if (std::ranges::find(reserved_names, lower_case(header.name)) != std::end(reserved_names))
        return fail(ErrorCode::invalid_argument, fmt::format("header {} cannot be set", header.name));
    // The value itself stays out of the sentence: it may be a secret.
    if (header.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the value of header {} holds a line break or a NUL", header.name));
    return {};
}

}  // namespace

Result<void> check_request_headers(const std::vector<Header>& headers) {
    for (const Header& header : headers) TRY(check_header(header));
    return {};
}

std::string basic_authorization(std::string_view username, std::string_view password) {
    return "Basic " + encode_base64(fmt::format("{}:{}", username, password));
}

std::string bearer_authorization(std::string_view token) {
    return fmt::format("Bearer {}", token);
}

}  // namespace quarry::net
