#include "api/server/message.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/printable.h"
#include "model/json/readable.h"
#include "url/percent.h"

namespace quarry::api {

namespace json = boost::json;

namespace {

std::string decoded(std::string_view text) {
    std::string plain(text);
    std::ranges::replace(plain, '+', ' ');
    return url::percent_decoded(plain);
}

}  // namespace

std::string_view name_of(Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::post: return "POST";
        case Method::put: return "PUT";
        case Method::patch: return "PATCH";
        case Method::del: return "DELETE";
        case Method::options: return "OPTIONS";
        case Method::head: return "HEAD";
        case Method::other: break;
    }
    return "OTHER";
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
    const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
    if (found == query.end()) return std::nullopt;
    return found->second;
}

void Response::share_body() {
    if (!shared_body) shared_body = std::make_shared<const std::string>(std::exchange(body, {}));
}

Target parse_target(std::string_view target) {
    Target parsed;
    const std::size_t fragment = target.find('#');
    target = target.substr(0, fragment);
    const std::size_t question = target.find('?');
    parsed.path = target.substr(0, question);
    if (question == std::string_view::npos) return parsed;
    std::string_view rest = target.substr(question + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pair.empty()) continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        parsed.query.emplace_back(decoded(pair.substr(0, equals)),
                                  decoded(pair.substr(std::min(equals + 1, pair.size()))));
    }
    return parsed;
}

int status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return 400;
        case ErrorCode::not_found: return 404;
        case ErrorCode::conflict: return 409;
        case ErrorCode::refused: return 403;
        case ErrorCode::timeout: return 408;
        case ErrorCode::too_large: return 413;
        case ErrorCode::unsupported: return 501;
        case ErrorCode::unavailable:
        case ErrorCode::interrupted: return 503;
        case ErrorCode::corrupt: return 500;
        case ErrorCode::exhausted: return 402;
    }
    return 500;
}

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return "BAD_REQUEST";
        case ErrorCode::not_found: return "NOT_FOUND";
        case ErrorCode::conflict: return "CONFLICT";
        case ErrorCode::refused: return "FORBIDDEN";
        case ErrorCode::timeout: return "TIMEOUT";
        case ErrorCode::too_large: return "TOO_LARGE";
        case ErrorCode::unsupported: return "NOT_IMPLEMENTED";
        case ErrorCode::unavailable: return "UNAVAILABLE";
        case ErrorCode::interrupted: return "INTERRUPTED";
        case ErrorCode::corrupt: return "CORRUPT";
        case ErrorCode::exhausted: return "INSUFFICIENT_CREDITS";
    }
    return "UNKNOWN_ERROR";
}

Response reply(const json::value& value, int status) {
    return {.status = status, .body = readable_json(value)};
}

std::string for_clients(std::string_view sentence) {
    constexpr std::string_view advice = "(allow it with --allow-";
    const std::size_t start = sentence.find(advice);
    const std::size_t end = start == std::string_view::npos ? start : sentence.find(')', start);
    if (end == std::string_view::npos) return std::string(sentence);
    const bool is_network = sentence.substr(start + advice.size()).starts_with("network");
    return fmt::format("{}(only the server's setting {} allows it{}", sentence.substr(0, start),
                       is_network ? "fetch.allowed_networks" : "fetch.allow_private", sentence.substr(end));
}

Response reply_error(int status, std::string_view code, std::string_view sentence) {
    // A sentence may repeat what a client sent, whatever that was.
    return reply(json::object{{"success", false}, {"code", code}, {"error", as_utf8(for_clients(sentence))}},
                 status);
}

Response reply(const Error& error) {
    return reply_error(status_of(error.code), name_of(error.code), error.message);
}

Response reply(const Error& error, std::string_view field) {
    if (error.code != ErrorCode::invalid_argument) return reply(error);
    const Issue issue{.path = std::string(field), .message = "cannot work: " + error.message};
    return reply(std::span(&issue, 1));
}

Response reply(std::span<const Issue> issues) {
    json::array details;
    for (const Issue& issue : issues) {
        json::array path;
        for (std::string_view rest = issue.path; !rest.empty();) {
            const std::size_t end = std::min(rest.find('.'), rest.size());
            path.emplace_back(as_utf8(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        details.push_back(json::object{{"path", std::move(path)}, {"message", as_utf8(issue.message)}});
    }
    const std::string first = issues.empty() ? "the request cannot be read"
                                             : fmt::format("{} {}", issues[0].path, issues[0].message);
    return reply(json::object{{"success", false},
                              {"code", "BAD_REQUEST"},
                              {"error", as_utf8(first)},
                              {"details", std::move(details)}},
                 400);
}

}  // namespace quarry::api
