// The keywords of draft 2020-12, and what may stand behind each: one table, from which schemas in schemas are
// found and mistakes are told.
#include "schema/index.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "schema/assertions.h"
#include "schema/json_values.h"
#include "schema/schema.h"
#include "url/percent.h"

namespace quarry::schema {

enum class Shape : std::uint8_t {
    anything,
    schema,
    schema_list,
    schema_map,
    pattern_map,  // patterns to schemas
    number,
    positive_number,
    count,
    text,
    pattern,
    yes_no,
    list,
    names,      // a list of strings
    names_map,  // of such lists
    type,       // the name of a type, or several
};

// `anything` for keywords that the draft does not know: they are allowed and mean nothing.
Shape shape_of(std::string_view keyword);

// What is wrong with the value itself, not with schemas in it: "must be a number".
std::optional<std::string> misshapen(Shape shape, const boost::json::value& value);

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

namespace {

namespace json = boost::json;

// What relative addresses are resolved against when a document has none. Nothing is ever asked for it.
constexpr std::string_view nowhere = "https://schema.invalid/";
constexpr std::string_view meta_schema = "https://json-schema.org/draft/2020-12/schema";

std::string_view text_at(const json::value& schema, std::string_view key) {
    const json::object* object = schema.if_object();
    const json::value* value = object != nullptr ? object->if_contains(key) : nullptr;
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view{};
}

}  // namespace

Result<std::unique_ptr<Index>> Index::build(const json::value& document,
                                            std::span<const json::value> others) {
    auto index = std::make_unique<Index>();
    TRY(index->add_document(document));
    for (const json::value& other : others) TRY(index->add_document(other));
    TRY(index->follow_references());
    return index;
}

bool Index::is_schema(const json::value& value) {
    Index index;
    index.shapes_only_ = true;
    return index.add_document(value).has_value();
}

const Resource* Index::resource_of(const json::value& schema) const {
    const auto found = resource_of_.find(&schema);
    return found != resource_of_.end() ? found->second : nullptr;
}

const Target* Index::reference(const json::value& schema) const {
    const auto found = references_.find(&schema);
    return found != references_.end() ? &found->second : nullptr;
}

const Target* Index::dynamic_reference(const json::value& schema) const {
    const auto found = dynamic_references_.find(&schema);
    return found != dynamic_references_.end() ? &found->second : nullptr;
}

const Pattern& Index::pattern(std::string_view text) const {
    return patterns_.find(text)->second;
}

std::unexpected<Error> Index::wrong(std::string_view message) const {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the schema cannot be used: {} {}", where_.empty() ? "it" : where_, message));
}

Result<void> Index::add_document(const json::value& document) {
    documents_.push_back(document);
    resources_.push_back({.address = TRY(url::Url::parse(nowhere)), .root = &documents_.back()});
    // The first document without an $id is found by references that begin with '#'; there is no other way.
    by_address_.try_emplace(resources_.back().address.href(), &resources_.back());
    where_.clear();
    return add(documents_.back(), &resources_.back());
}

Result<void> Index::add(const json::value& schema, Resource* resource) {
    if (resource_of_.contains(&schema)) return {};
    if (resource_of_.size() >= SchemaLimits::subschemas || nesting_ >= SchemaLimits::nesting)
        return fail(ErrorCode::too_large, "the schema is too large, or nested too deeply");
    if (const auto mistake = misshapen(Shape::schema, schema)) return wrong(*mistake);
    ++nesting_;
    resource = TRY(enter(schema, resource));
    resource_of_.emplace(&schema, resource);
    if (const json::object* members = schema.if_object()) {
        if (!text_at(schema, "$ref").empty() || !text_at(schema, "$dynamicRef").empty())
            unfollowed_.push_back(&schema);
        TRY(add_members(*members, resource));
        TRY(add_anchors(schema, *resource));
    }
    --nesting_;
    return {};
}

// An $id begins a resource of its own.
Result<Resource*> Index::enter(const json::value& schema, Resource* around) {
    const std::string_view id = text_at(schema, "$id");
    if (id.empty()) return around;
    auto address = url::Url::parse(id, &around->address);
    if (!address) return wrong(fmt::format("has an $id that is no address: {}", id));
    const std::string name = address->without_fragment();
    resources_.push_back({.address = *std::move(address), .root = &schema});
    by_address_.insert_or_assign(name, &resources_.back());
    return &resources_.back();
}

Result<void> Index::add_anchors(const json::value& schema, Resource& resource) {
    for (const std::string_view key : {"$anchor", "$dynamicAnchor"}) {
        const std::string_view name = text_at(schema, key);
        if (name.empty()) continue;
        resource.anchors.try_emplace(std::string(name), &schema);
        if (key == "$dynamicAnchor") resource.dynamic_anchors.try_emplace(std::string(name), &schema);
    }
    return {};
}

Result<void> Index::add_members(const json::object& schema, Resource* resource) {
    for (const auto& member : schema) {
        const std::size_t before = where_.size();
        append_to_pointer(where_, member.key());
        if (const auto mistake = misshapen(shape_of(member.key()), member.value())) return wrong(*mistake);
        TRY(add_below(member, resource));
        where_.resize(before);
    }
    return {};
}

Result<void> Index::add_below(const json::key_value_pair& member, Resource* resource) {
    has_unevaluated_ |= member.key().starts_with("unevaluated");
    switch (shape_of(member.key())) {
        case Shape::pattern: return add_pattern(member.value().get_string());
        case Shape::schema: return add(member.value(), resource);
        case Shape::schema_list: {
            std::size_t index = 0;
            for (const json::value& schema : member.value().get_array())
                TRY(add_child(std::to_string(index++), schema, resource));
            return {};
        }
        case Shape::pattern_map:
        case Shape::schema_map:
            for (const auto& below : member.value().get_object()) {
                if (member.key() == "patternProperties") TRY(add_pattern(below.key()));
                TRY(add_child(below.key(), below.value(), resource));
            }
            return {};
        default: return {};
    }
}

Result<void> Index::add_child(std::string_view name, const json::value& schema, Resource* resource) {
    const std::size_t before = where_.size();
    append_to_pointer(where_, name);
    TRY(add(schema, resource));
    where_.resize(before);
    return {};
}

Result<void> Index::add_pattern(std::string_view text) {
    if (shapes_only_ || patterns_.contains(text)) return {};
    auto pattern = Pattern::parse(text);
    if (!pattern) return wrong(fmt::format("must be a pattern: {}", pattern.error().message));
    patterns_.emplace(std::string(text), *std::move(pattern));
    return {};
}

Result<void> Index::follow_references() {
    // Following one may add schemas that only a pointer leads to, and they may hold further references.
    while (!unfollowed_.empty()) {
        const json::value* schema = unfollowed_.back();
        unfollowed_.pop_back();
        if (const std::string_view reference = text_at(*schema, "$ref"); !reference.empty())
            references_.emplace(schema, Target{.schema = TRY(resolve(*schema, reference)).schema});
        if (const std::string_view reference = text_at(*schema, "$dynamicRef"); !reference.empty())
            dynamic_references_.emplace(schema, TRY(resolve(*schema, reference)));
    }
    return {};
}

Result<Target> Index::resolve(const json::value& schema, std::string_view reference) {
    where_.clear();
    const auto address = url::Url::parse(reference, &resource_of_.at(&schema)->address);
    if (!address) return wrong(fmt::format("has a reference that is no address: {}", reference));
    const auto found = by_address_.find(address->without_fragment());
    if (found == by_address_.end()) {
        if (address->without_fragment() == meta_schema) return Target{};
        return wrong(
            fmt::format("refers to {}, which is not in it; nothing is fetched for a schema", reference));
    }
    const std::string fragment = url::percent_decoded(address->fragment().value_or(""));
    const json::value* target = TRY(find(*found->second, fragment));
    if (target == nullptr) return wrong(fmt::format("refers to {}, which is not there", reference));
    const bool is_dynamic = text_at(*target, "$dynamicAnchor") == fragment && !fragment.empty();
    return Target{.schema = target, .dynamic_anchor = is_dynamic ? fragment : ""};
}

Result<const json::value*> Index::find(Resource& resource, std::string_view fragment) {
    if (fragment.empty()) return resource.root;
    if (!fragment.starts_with('/')) {
        const auto found = resource.anchors.find(fragment);
        return found != resource.anchors.end() ? found->second : nullptr;
    }
    const json::value* target = find_at(*resource.root, fragment);
    if (target == nullptr) return nullptr;
    where_ = fragment;
    TRY(add(*target, &resource));
    return target;
}

}  // namespace quarry::schema
