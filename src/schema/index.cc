#include "schema/index.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "schema/json_values.h"
#include "schema/keywords.h"
#include "schema/schema.h"
#include "url/percent.h"

namespace quarry::schema {

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
