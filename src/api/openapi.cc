#include "api/openapi.h"

#include <algorithm>
#include <string>

#include <boost/json.hpp>

namespace quarry::api {
namespace {

namespace json = boost::json;

std::string lower_name_of(Method method) {
    std::string name(name_of(method));
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    return name;
}

// One for each {name} in the path.
json::array parameters_of(std::string_view path) {
    json::array parameters;
    for (std::size_t begin = path.find('{'); begin != std::string_view::npos;
         begin = path.find('{', begin + 1))
        parameters.push_back(json::object{{"name", path.substr(begin + 1, path.find('}', begin) - begin - 1)},
                                          {"in", "path"},
                                          {"required", true},
                                          {"schema", json::object{{"type", "string"}}}});
    return parameters;
}

json::object content_of(std::string_view type, std::string_view schema) {
    return {{"content", json::object{{type, json::object{{"schema", json::object{{"type", schema}}}}}}}};
}

json::object operation_of(const Route& route) {
    json::object answer = content_of("application/json", "object");
    answer["description"] = "Done; an error is {success: false, code, error}";
    json::object operation{{"summary", route.summary},
                           {"responses", json::object{{"200", std::move(answer)}}}};
    if (json::array parameters = parameters_of(route.path); !parameters.empty())
        operation["parameters"] = std::move(parameters);
    if (route.body == BodyKind::json) operation["requestBody"] = content_of("application/json", "object");
    if (route.body == BodyKind::bytes) operation["requestBody"] = content_of("multipart/form-data", "object");
    return operation;
}

}  // namespace

json::object openapi_of(std::span<const Route> routes, std::string_view version) {
    json::object paths;
    for (const Route& route : routes) {
        json::value& path = paths[route.path];
        if (!path.is_object()) path = json::object();
        path.get_object()[lower_name_of(route.method)] = operation_of(route);
    }
    return {{"openapi", "3.1.0"},
            {"info", json::object{{"title", "quarry"}, {"version", version}}},
            {"paths", std::move(paths)}};
}

}  // namespace quarry::api
