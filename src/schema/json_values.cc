#include "schema/json_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

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

namespace {

namespace json = boost::json;

void write_number(double number, std::string& text) {
    // Beyond 2^53 doubles are whole numbers that integers may meet exactly, up to the ends of their range.
    const bool is_whole = std::floor(number) == number;
    if (is_whole && number >= -9.2e18 && number <= 9.2e18)
        text += std::to_string(static_cast<std::int64_t>(number));
    else if (is_whole && number > 0 && number <= 1.8e19)
        text += std::to_string(static_cast<std::uint64_t>(number));
    else
        text += fmt::format("{}", number);
}

void write(const json::value& value, std::string& text);

void write_members(const json::object& object, std::string& text) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const json::key_value_pair* member) { return member->key(); });
    text += '{';
    for (const json::key_value_pair* member : members) {
        text += json::serialize(json::string(member->key()));
        text += ':';
        write(member->value(), text);
        text += ',';
    }
    text += '}';
}

void write(const json::value& value, std::string& text) {
    if (const json::object* object = value.if_object()) {
        write_members(*object, text);
    } else if (const json::array* array = value.if_array()) {
        text += '[';
        for (const json::value& item : *array) {
            write(item, text);
            text += ',';
        }
        text += ']';
    } else if (const double* number = value.if_double()) {
        write_number(*number, text);
    } else {
        text += json::serialize(value);
    }
}

}  // namespace

std::string canonical_text(const json::value& value) {
    std::string text;
    write(value, text);
    return text;
}

}  // namespace quarry::schema
