#include "api/server/message.h"

#include <algorithm>
#include <utility>

#include "url/percent.h"

namespace quarry::api {
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

}  // namespace quarry::api
