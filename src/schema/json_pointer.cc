#include "schema/json_values.h"

#include <charconv>

#include <boost/json.hpp>

namespace quarry::schema {

namespace {

namespace json = boost::json;

std::string unescaped(std::string_view token) {
    std::string name;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool is_escape =
            token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
        if (!is_escape)
            name += token[i];
        else
            name += token[++i] == '1' ? '/' : '~';
    }
    return name;
}

const json::value* child_of(const json::value& value, const std::string& name) {
    if (const json::object* object = value.if_object()) return object->if_contains(name);
    const json::array* array = value.if_array();
    if (array == nullptr) return nullptr;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool is_index = error == std::errc() && end == name.data() + name.size();
    return is_index && index < array->size() ? &(*array)[index] : nullptr;
}

}  // namespace

void append_to_pointer(std::string& pointer, std::string_view name) {
    pointer += '/';
    for (const char c : name) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
}

const json::value* find_at(const json::value& value, std::string_view pointer) {
    const json::value* found = &value;
    while (found != nullptr && !pointer.empty()) {
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        found = child_of(*found, unescaped(pointer.substr(0, end)));
        pointer.remove_prefix(end);
    }
    return found;
}

}  // namespace quarry::schema
