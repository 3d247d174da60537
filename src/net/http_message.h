// One HTTP request and its answer as values, with their headers and status codes. One request is one hop:
// redirects come back as answers with a status of 3xx, because each further hop has to pass the policies of
// the code that follows it. Headers of a request are checked, so that a value from a user or a page cannot
// smuggle in a second request. What reads headers is ASCII only and independent of the locale.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/result.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "url/url.h"

namespace quarry::net {

using quarry::lower_case;
using quarry::trimmed;

// What reading HTTP headers needs again and again: ASCII only, independent of the locale.

constexpr bool is_all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Removes and returns everything before the next `separator`, which is removed too.
constexpr std::string_view take_until(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

// The headers of a request. They are checked, so that a value from a user or a page cannot smuggle in a
// second request. The two ways of logging in that need no negotiation are built here.

// Fails with `invalid_argument` if a name is not a token, a value holds CR, LF or NUL, or a name belongs to
// the client (Host, Content-Length, Transfer-Encoding, Connection and the like).
Result<void> check_request_headers(const std::vector<Header>& headers);

// Values of an Authorization header.
std::string basic_authorization(std::string_view username, std::string_view password);
std::string bearer_authorization(std::string_view token);

// HTTP status codes of 400 and above as errors.

// "HTTP 404 Not Found"; "HTTP 599" for codes without a registered name.
std::string http_status_line(int status);

// not_found for 404 and 410, timeout for 408 and 504, unavailable for 429 and other server errors, else
// refused.
ErrorCode http_error_code(int status);

enum class HttpMethod { get, head, post, put, patch, delete_ };

enum class WhenTooLarge {
    fail,      // the request ends with `too_large`
    truncate,  // the body ends at the limit: enough for a robots.txt, whose rest is not needed
};

// What one request may cost. Everything a server can stretch has a limit.
struct HttpLimits {
    std::chrono::milliseconds timeout{60'000};                   // from the first lookup to the last byte
    std::chrono::milliseconds connect_timeout{10'000};           // lookup, TCP and TLS handshake together
    std::uint64_t body_bytes = std::uint64_t{50} * 1024 * 1024;  // after decoding
    WhenTooLarge when_too_large = WhenTooLarge::fail;
    std::uint64_t header_bytes = std::uint64_t{256} * 1024;  // of all answers to this request together

    // A server that has begun to answer and then sends less than this is given up. Before the first byte a
    // server may think: only `timeout` ends that.
    std::uint64_t low_speed_bytes_per_second = 100;
    std::chrono::milliseconds low_speed_time{20'000};
};

struct HttpRequest {
    url::Url url;
    HttpMethod method = HttpMethod::get;

    // Sent as they are, after a check that they cannot be mistaken for something else. The client itself adds
    // Host, User-Agent, Accept-Encoding and what frames the body. Credentials in the URL are never sent: see
    // basic_authorization().
    std::vector<Header> headers{};
    std::string body{};

    AddressPolicy policy{};
    HttpLimits limits{};

    // Asked once, on the client's thread, when a body begins to arrive. If it says no, the answer comes
    // without its body: a video costs no more than its headers.
    std::function<bool(int status, const std::vector<Header>& headers)> wants_body{};

    // Not sent before this time, so that a retry can wait here instead of in a thread.
    std::chrono::steady_clock::time_point not_before{};

    // Ends the request with `interrupted`, wherever it is.
    std::stop_token stop{};
};

struct HttpResponse {
    int status = 0;
    std::vector<Header> headers{};  // in order; without trailers
    std::string body{};             // decoded
    bool is_body_skipped = false;   // there was one, but wants_body declined it
    bool is_truncated = false;      // the body went on beyond the limit
    std::string address{};          // of the peer, for logs: "93.184.216.34"
    int http_version = 0;           // 10, 11 or 20
};

}  // namespace quarry::net
