#include "schema/assertions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "schema/json_values.h"

namespace quarry::schema {

namespace {

namespace json = boost::json;
using Complain = std::function<void(std::string)>;

constexpr std::array<std::string_view, 7> types = {"array",  "boolean", "integer", "null",
                                                   "number", "object",  "string"};

std::string shortened(std::string text) {
    constexpr std::size_t longest = 80;
    if (text.size() <= longest) return text;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

void check_type(const json::value& wanted, const json::value& value, const Complain& complain) {
    if (const json::string* name = wanted.if_string()) {
        if (!has_type(value, *name)) complain(fmt::format("is not of type {}", std::string_view(*name)));
        return;
    }
    std::string names;
    for (const json::value& name : wanted.get_array()) {
        if (has_type(value, name.get_string())) return;
        names += (names.empty() ? "" : ", ") + std::string(name.get_string());
    }
    complain(fmt::format("is none of the types {}", names));
}

void check_choices(const json::object& schema, const json::value& value, const Complain& complain) {
    const json::value* choices = schema.if_contains("enum");
    const json::value* constant = schema.if_contains("const");
    if (choices == nullptr && constant == nullptr) return;
    const std::string text = canonical_text(value);
    if (constant != nullptr && canonical_text(*constant) != text)
        complain(fmt::format("is not {}", shortened(json::serialize(*constant))));
    if (choices == nullptr) return;
    const auto is_it = [&text](const json::value& choice) { return canonical_text(choice) == text; };
    if (std::ranges::none_of(choices->get_array(), is_it))
        complain(fmt::format("is none of {}", shortened(json::serialize(*choices))));
}

bool is_nearly_whole(double number) {
    return std::abs(number - std::round(number)) <= 1e-9 * std::max(1.0, std::abs(number));
}

bool is_multiple(double number, double of) {
    constexpr double exact =
        9007199254740992.0;  // beyond 2^53 every double is whole, so a quotient says nothing
    if (std::abs(number / of) < exact) return is_nearly_whole(number / of);
    return std::fmod(number, of) == 0 || (std::floor(number) == number && of < 1 && is_nearly_whole(1 / of));
}

// Below zero, zero or above, exact for integers of 64 bits.
int compare(const json::value& a, const json::value& b) {
    if (a.is_int64() && b.is_int64())
        return a.get_int64() < b.get_int64() ? -1 : a.get_int64() > b.get_int64() ? 1 : 0;
    const double left = number_of(a), right = number_of(b);
    return left < right ? -1 : left > right ? 1 : 0;
}

void check_number(const json::object& schema, const json::value& value, const Complain& complain) {
    const auto tell = [&](std::string_view words, const json::value& bound) {
        complain(fmt::format("is {} {}", words, json::serialize(bound)));
    };
    if (const json::value* bound = schema.if_contains("minimum");
        bound != nullptr && compare(value, *bound) < 0)
        tell("below", *bound);
    if (const json::value* bound = schema.if_contains("maximum");
        bound != nullptr && compare(value, *bound) > 0)
        tell("above", *bound);
    if (const json::value* bound = schema.if_contains("exclusiveMinimum");
        bound != nullptr && compare(value, *bound) <= 0)
        tell("not above", *bound);
    if (const json::value* bound = schema.if_contains("exclusiveMaximum");
        bound != nullptr && compare(value, *bound) >= 0)
        tell("not below", *bound);
    if (const json::value* of = schema.if_contains("multipleOf");
        of != nullptr && !is_multiple(number_of(value), number_of(*of)))
        tell("no multiple of", *of);
}

struct Bounds {
    const char* least;
    const char* most;
    const char* noun;
};

void check_size(const json::object& schema, const Bounds& bounds, std::size_t size,
                const Complain& complain) {
    const auto count = static_cast<double>(size);
    if (const json::value* least = schema.if_contains(bounds.least);
        least != nullptr && count < number_of(*least))
        complain(fmt::format("has fewer than {} {}", json::serialize(*least), bounds.noun));
    if (const json::value* most = schema.if_contains(bounds.most);
        most != nullptr && count > number_of(*most))
        complain(fmt::format("has more than {} {}", json::serialize(*most), bounds.noun));
}

void check_unique(const json::array& items, const Complain& complain) {
    std::unordered_set<std::string> seen;
    for (const json::value& item : items) {
        if (seen.insert(canonical_text(item)).second) continue;
        complain("has an item more than once");
        return;
    }
}

void check_required(const json::array& names, const json::object& object, const Complain& complain) {
    for (const json::value& name : names)
        if (!object.contains(name.get_string()))
            complain(fmt::format("has no \"{}\"", std::string_view(name.get_string())));
}

void check_object(const json::object& schema, const json::object& object, const Complain& complain) {
    check_size(schema, {"minProperties", "maxProperties", "members"}, object.size(), complain);
    if (const json::value* names = schema.if_contains("required"))
        check_required(names->get_array(), object, complain);
    const json::value* dependent = schema.if_contains("dependentRequired");
    if (dependent == nullptr) return;
    for (const auto& member : dependent->get_object())
        if (object.contains(member.key())) check_required(member.value().get_array(), object, complain);
}

}  // namespace

bool is_type_name(std::string_view name) {
    return std::ranges::find(types, name) != types.end();
}

bool has_type(const json::value& value, std::string_view type) {
    switch (value.kind()) {
        case json::kind::null: return type == "null";
        case json::kind::bool_: return type == "boolean";
        case json::kind::string: return type == "string";
        case json::kind::array: return type == "array";
        case json::kind::object: return type == "object";
        default: return type == "number" || (type == "integer" && is_integer(value));
    }
}

bool is_integer(const json::value& value) {
    if (const double* number = value.if_double()) return std::floor(*number) == *number;
    return value.is_int64() || value.is_uint64();
}

double number_of(const json::value& value) {
    if (const double* number = value.if_double()) return *number;
    if (const std::int64_t* number = value.if_int64()) return static_cast<double>(*number);
    if (const std::uint64_t* number = value.if_uint64()) return static_cast<double>(*number);
    return 0;
}

std::size_t length_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void check_assertions(const json::object& schema, const json::value& value, const Complain& complain) {
    if (const json::value* type = schema.if_contains("type")) check_type(*type, value, complain);
    check_choices(schema, value, complain);
    if (value.is_number()) {
        check_number(schema, value, complain);
    } else if (const json::string* text = value.if_string()) {
        if (schema.contains("minLength") || schema.contains("maxLength"))
            check_size(schema, {"minLength", "maxLength", "characters"}, length_of(*text), complain);
    } else if (const json::array* items = value.if_array()) {
        check_size(schema, {"minItems", "maxItems", "items"}, items->size(), complain);
        if (const json::value* unique = schema.if_contains("uniqueItems");
            unique != nullptr && unique->get_bool())
            check_unique(*items, complain);
    } else if (const json::object* object = value.if_object()) {
        check_object(schema, *object, complain);
    }
}

}  // namespace quarry::schema
