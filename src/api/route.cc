#include "api/routes.h"

#include <algorithm>

#include "url/percent.h"

namespace quarry::api {
namespace {

// The values of the names, if the path is of that shape.
std::optional<std::vector<std::string>> match(std::string_view shape, std::string_view path) {
    std::vector<std::string> values;
    while (!shape.empty() && !path.empty()) {
        if (shape.front() != path.front() && shape.front() != '{') return std::nullopt;
        if (shape.front() != '{') {
            shape.remove_prefix(1);
            path.remove_prefix(1);
            continue;
        }
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end == 0) return std::nullopt;
        values.push_back(url::percent_decoded(path.substr(0, end)));
        path.remove_prefix(end);
        shape.remove_prefix(shape.find('}') + 1);
    }
    if (!shape.empty() || !path.empty()) return std::nullopt;
    return values;
}

}  // namespace

Found find_route(std::span<const Route> routes, Method method, std::string_view path) {
    // A slash at the end means nothing.
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    Found found;
    for (const Route& route : routes) {
        auto values = match(route.path, path);
        if (!values) continue;
        const bool is_meant =
            route.method == method || (method == Method::head && route.method == Method::get);
        if (is_meant) return {.route = &route, .values = *std::move(values)};
        if (std::ranges::find(found.allowed, route.method) == found.allowed.end())
            found.allowed.push_back(route.method);
    }
    return found;
}

}  // namespace quarry::api
