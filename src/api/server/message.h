// A request as it came over the wire and what is answered, apart from any socket.
// Answers are JSON. The one table from errors to HTTP statuses is here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "base/result.h"
#include "model/page.h"

namespace quarry::api {

// A request as it came over the wire and what is answered, apart from any socket.

// Those that a route can have; anything else a client sends is `other`.
enum class Method : std::uint8_t { get, post, put, patch, del, options, head, other };

std::string_view name_of(Method method);

struct Request {
    Method method = Method::get;
    std::string path{};                                        // "/v2/crawl/7", as it was sent
    std::vector<std::pair<std::string, std::string>> query{};  // decoded, in order
    std::vector<Header> headers{};                             // in order
    std::string body{};                                        // once it was read
    bool has_body = false;                                     // there is one to be read
    std::string peer{};                                        // the address that is connected: "127.0.0.1"
    bool is_upgrade = false;                                   // it asks for a WebSocket
    bool is_encrypted = false;

    // The first of that name; nothing if there is none.
    std::optional<std::string_view> parameter(std::string_view name) const;
    std::string_view header(std::string_view name) const { return header_value(headers, name); }
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::vector<Header> headers{};                     // besides those that every response has
    std::shared_ptr<const std::string> shared_body{};  // instead of `body`, where many get the same

    std::string_view text() const { return shared_body ? std::string_view(*shared_body) : body; }
    // Makes copies of this response cheap.
    void share_body();
};

// "/v2/crawl/7?skip=10": the path, and the parameters behind it decoded. '+' means a space there.
struct Target {
    std::string path{};
    std::vector<std::pair<std::string, std::string>> query{};
};
Target parse_target(std::string_view target);

// What is answered, in JSON. The one table from errors to HTTP statuses is here.

int status_of(ErrorCode code);
std::string_view name_of(ErrorCode code);  // "NOT_FOUND"

Response reply(const boost::json::value& value, int status = 200);
// {"success": false, "code", "error"}
Response reply(const Error& error);
// The same, but an `invalid_argument` is an issue of that field.
Response reply(const Error& error, std::string_view field);
// A sentence whose advice is a flag of the command line gets that of a server's operator instead.
std::string for_clients(std::string_view sentence);
Response reply_error(int status, std::string_view code, std::string_view sentence);
// 400 with all that is wrong: `error` names the first, `details` has each with its path.
Response reply(std::span<const Issue> issues);

}  // namespace quarry::api
