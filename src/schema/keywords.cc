#include "schema/keywords.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json.hpp>

#include "schema/assertions.h"

namespace quarry::schema {

namespace {

namespace json = boost::json;

constexpr std::pair<std::string_view, Shape> table[] = {
    {"$anchor", Shape::text},
    {"$comment", Shape::text},
    {"$defs", Shape::schema_map},
    {"$dynamicAnchor", Shape::text},
    {"$dynamicRef", Shape::text},
    {"$id", Shape::text},
    {"$ref", Shape::text},
    {"$schema", Shape::text},
    {"additionalProperties", Shape::schema},
    {"allOf", Shape::schema_list},
    {"anyOf", Shape::schema_list},
    {"contains", Shape::schema},
    {"definitions", Shape::schema_map},
    {"dependentRequired", Shape::names_map},
    {"dependentSchemas", Shape::schema_map},
    {"else", Shape::schema},
    {"enum", Shape::list},
    {"exclusiveMaximum", Shape::number},
    {"exclusiveMinimum", Shape::number},
    {"format", Shape::text},
    {"if", Shape::schema},
    {"items", Shape::schema},
    {"maxContains", Shape::count},
    {"maxItems", Shape::count},
    {"maxLength", Shape::count},
    {"maxProperties", Shape::count},
    {"maximum", Shape::number},
    {"minContains", Shape::count},
    {"minItems", Shape::count},
    {"minLength", Shape::count},
    {"minProperties", Shape::count},
    {"minimum", Shape::number},
    {"multipleOf", Shape::positive_number},
    {"not", Shape::schema},
    {"oneOf", Shape::schema_list},
    {"pattern", Shape::pattern},
    {"patternProperties", Shape::pattern_map},
    {"prefixItems", Shape::schema_list},
    {"properties", Shape::schema_map},
    {"propertyNames", Shape::schema},
    {"required", Shape::names},
    {"then", Shape::schema},
    {"type", Shape::type},
    {"unevaluatedItems", Shape::schema},
    {"unevaluatedProperties", Shape::schema},
    {"uniqueItems", Shape::yes_no},
};
static_assert(std::ranges::is_sorted(table, {}, &std::pair<std::string_view, Shape>::first));

bool are_names(const json::value& value) {
    const json::array* list = value.if_array();
    return list != nullptr &&
           std::ranges::all_of(*list, [](const json::value& item) { return item.is_string(); });
}

bool are_lists_of_names(const json::value& value) {
    const json::object* map = value.if_object();
    return map != nullptr &&
           std::ranges::all_of(*map, [](const auto& member) { return are_names(member.value()); });
}

bool is_type(const json::value& value) {
    if (const json::string* name = value.if_string()) return is_type_name(*name);
    const json::array* names = value.if_array();
    return names != nullptr && !names->empty() && std::ranges::all_of(*names, [](const json::value& name) {
               return name.is_string() && is_type_name(name.get_string());
           });
}

bool is_count(const json::value& value) {
    return is_integer(value) && number_of(value) >= 0;
}

std::optional<std::string> unless(bool is_right, const char* sentence) {
    if (is_right) return std::nullopt;
    return sentence;
}

}  // namespace

Shape shape_of(std::string_view keyword) {
    const auto found =
        std::ranges::lower_bound(table, keyword, {}, &std::pair<std::string_view, Shape>::first);
    return found != std::end(table) && found->first == keyword ? found->second : Shape::anything;
}

std::optional<std::string> misshapen(Shape shape, const json::value& value) {
    switch (shape) {
        case Shape::anything: return std::nullopt;
        case Shape::schema: return unless(value.is_object() || value.is_bool(), "must be a schema");
        case Shape::schema_list:
            return unless(value.is_array() && !value.get_array().empty(), "must be a list of schemas");
        case Shape::schema_map:
        case Shape::pattern_map: return unless(value.is_object(), "must be an object with schemas");
        case Shape::number: return unless(value.is_number(), "must be a number");
        case Shape::positive_number:
            return unless(value.is_number() && number_of(value) > 0, "must be a number above 0");
        case Shape::count: return unless(is_count(value), "must be a whole number from 0 on");
        case Shape::text:
        case Shape::pattern: return unless(value.is_string(), "must be a string");
        case Shape::yes_no: return unless(value.is_bool(), "must be true or false");
        case Shape::list: return unless(value.is_array(), "must be a list");
        case Shape::names: return unless(are_names(value), "must be a list of names");
        case Shape::names_map:
            return unless(are_lists_of_names(value), "must be an object with lists of names");
        case Shape::type:
            return unless(
                is_type(value),
                "must be array, boolean, integer, null, number, object, string, or a list of those");
    }
    return std::nullopt;
}

}  // namespace quarry::schema
