#include "net/http_message.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/base64.h"

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

namespace {

// The names of RFC 9110 and its registry, for answers that are no page.
std::string_view reason(int status) {
    switch (status) {
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 402: return "Payment Required";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 407: return "Proxy Authentication Required";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 410: return "Gone";
        case 411: return "Length Required";
        case 412: return "Precondition Failed";
        case 413: return "Content Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 416: return "Range Not Satisfiable";
        case 418: return "I'm a teapot";
        case 421: return "Misdirected Request";
        case 422: return "Unprocessable Content";
        case 423: return "Locked";
        case 425: return "Too Early";
        case 426: return "Upgrade Required";
        case 428: return "Precondition Required";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 451: return "Unavailable For Legal Reasons";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        case 507: return "Insufficient Storage";
        case 511: return "Network Authentication Required";
        default: return {};
    }
}

}  // namespace

std::string http_status_line(int status) {
    const std::string_view name = reason(status);
    return name.empty() ? fmt::format("HTTP {}", status) : fmt::format("HTTP {} {}", status, name);
}

ErrorCode http_error_code(int status) {
    switch (status) {
        case 404:
        case 410: return ErrorCode::not_found;
        case 408:
        case 504: return ErrorCode::timeout;
        case 429: return ErrorCode::unavailable;
        default: return status >= 500 ? ErrorCode::unavailable : ErrorCode::refused;
    }
}

}  // namespace quarry::net
