#include "servers/imitation_qdrant_filter.h"

#include <algorithm>
#include <span>

#include <boost/json.hpp>

#include "servers/imitation_conduct.h"

namespace quarry::test {

namespace {

namespace json = boost::json;
using Fields = std::set<std::string>;

std::string wrong_with_match(const json::value& match) {
    const json::object* object = match.if_object();
    if (object == nullptr || object->size() != 1) return "a match is one of value, any, except or text";
    const auto& [kind, value] = *object->begin();
    if (kind == "value") {
        const bool is_scalar = value.is_string() || value.is_int64() || value.is_bool();
        return is_scalar ? "" : "the value of a match is a string, an integer or a bool";
    }
    if (kind != "any" && kind != "except") return "unknown match " + std::string(kind);
    if (!value.is_array() || value.get_array().empty()) return "any and except are lists";
    const auto& list = value.get_array();
    const bool are_strings =
        std::ranges::all_of(list, [](const json::value& item) { return item.is_string(); });
    const bool are_numbers =
        std::ranges::all_of(list, [](const json::value& item) { return item.is_int64(); });
    return are_strings || are_numbers ? "" : "a list of any is all strings or all integers";
}

std::string wrong_with_range(const json::value& range) {
    const json::object* object = range.if_object();
    if (object == nullptr || object->empty()) return "a range is an object";
    if (const auto unknown = unknown_field(*object, {"lt", "gt", "lte", "gte"}); !unknown.empty())
        return "unknown bound " + unknown;
    const bool are_numbers =
        std::ranges::all_of(*object, [](const auto& bound) { return bound.value().is_number(); });
    return are_numbers ? "" : "bounds are numbers";
}

std::string wrong_with_field(const json::object& condition, const Fields& indexed_fields) {
    const json::value& key = condition.at("key");
    if (!key.is_string()) return "a key is a string";
    if (!indexed_fields.contains(std::string(key.get_string())))
        return "filters on " + std::string(key.get_string()) + ", which has no index";
    if (const auto unknown = unknown_field(condition, {"key", "match", "range"}); !unknown.empty())
        return "unknown condition " + unknown;
    if (const json::value* match = condition.if_contains("match")) return wrong_with_match(*match);
    if (const json::value* range = condition.if_contains("range")) return wrong_with_range(*range);
    return "a condition without match or range";
}

std::string wrong_with_condition(const json::value& condition, const Fields& indexed_fields) {
    const json::object* object = condition.if_object();
    if (object == nullptr) return "a condition is an object";
    if (object->contains("key")) return wrong_with_field(*object, indexed_fields);
    if (const json::value* ids = object->if_contains("has_id"))
        return ids->is_array() ? "" : "has_id is a list";
    if (const json::value* name = object->if_contains("has_vector"))
        return name->is_string() ? "" : "has_vector is a name";
    return wrong_with_filter(condition, indexed_fields);
}

template <typename Check>
bool any_value(const json::object& payload, std::string_view key, Check&& check) {
    const json::value* value = payload.if_contains(key);
    if (value == nullptr) return false;
    if (value->is_array()) return std::ranges::any_of(value->get_array(), check);
    return check(*value);
}

bool matches(const json::object& match, const json::value& value) {
    if (const json::value* wanted = match.if_contains("value")) return *wanted == value;
    const bool is_any = match.contains("any");
    const auto& list = match.at(is_any ? "any" : "except").get_array();
    return (std::ranges::find(list, value) != list.end()) == is_any;
}

bool is_within(const json::object& range, const json::value& value) {
    if (!value.is_number()) return false;
    const auto number = value.to_number<double>();
    return std::ranges::all_of(range, [&](const auto& bound) {
        const auto limit = bound.value().template to_number<double>();
        if (bound.key() == "lt") return number < limit;
        if (bound.key() == "gt") return number > limit;
        return bound.key() == "lte" ? number <= limit : number >= limit;
    });
}

bool meets(const json::value& condition, const FilteredPoint& point) {
    const json::object& object = condition.as_object();
    if (const json::value* ids = object.if_contains("has_id"))
        return std::ranges::find(ids->get_array(), point.id) != ids->get_array().end();
    if (const json::value* name = object.if_contains("has_vector"))
        return point.vectors.contains(std::string(name->get_string()));
    if (!object.contains("key")) return passes(condition, point);
    const json::string& key = object.at("key").get_string();
    return any_value(point.payload, key, [&](const json::value& value) {
        if (const json::value* match = object.if_contains("match"))
            return matches(match->get_object(), value);
        return is_within(object.at("range").get_object(), value);
    });
}

std::span<const json::value> conditions(const json::object& filter, std::string_view clause) {
    const json::value* value = filter.if_contains(clause);
    if (value == nullptr || value->is_null()) return {};
    if (value->is_object()) return {value, 1};
    return {value->get_array().data(), value->get_array().size()};
}

}  // namespace

std::string wrong_with_filter(const json::value& filter, const Fields& indexed_fields) {
    const json::object* object = filter.if_object();
    if (object == nullptr) return "a filter is an object";
    if (const auto unknown = unknown_field(*object, {"must", "should", "must_not"}); !unknown.empty())
        return "unknown field `" + unknown + "` in a filter";
    for (const auto& clause : *object)
        if (!clause.value().is_array() && !clause.value().is_object())
            return "a clause is a list of conditions";
    for (const char* clause : {"must", "should", "must_not"})
        for (const json::value& condition : conditions(*object, clause))
            if (auto wrong = wrong_with_condition(condition, indexed_fields); !wrong.empty()) return wrong;
    return {};
}

bool passes(const json::value& filter, const FilteredPoint& point) {
    const json::object& object = filter.as_object();
    const auto is_met = [&](const json::value& condition) { return meets(condition, point); };
    const auto should = conditions(object, "should");
    return std::ranges::all_of(conditions(object, "must"), is_met) &&
           std::ranges::none_of(conditions(object, "must_not"), is_met) &&
           (should.empty() || std::ranges::any_of(should, is_met));
}

}  // namespace quarry::test
