#include "extract/structured/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/links.h"
#include "extract/structured/page_data.h"
#include "extract/structured/values.h"

namespace quarry::structured {

namespace json = boost::json;

namespace {

struct Row {
    std::vector<std::string_view> names;  // any of these …
    std::vector<std::string_view> paths;  // … may be any of those
};

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {{"title", "headline", "name", "productname", "label"},
         {"headline", "name", "title", "alternatename"}},
        {{"description", "summary", "abstract"}, {"description", "abstract", "summary", "text"}},
        {{"text", "body", "content", "articlebody"}, {"articlebody", "text", "reviewbody", "content"}},
        {{"author", "authors", "authorname", "writer", "creator", "byline"}, {"author", "creator", "byline"}},
        {{"price", "amount", "cost"},
         {"price", "offers.price", "offers.lowprice", "offers.pricespecification.price", "priceamount",
          "baseprice"}},
        {{"currency", "pricecurrency"},
         {"pricecurrency", "offers.pricecurrency", "offers.pricespecification.pricecurrency"}},
        {{"availability", "instock", "available", "stock"}, {"availability", "offers.availability"}},
        {{"condition"}, {"itemcondition", "offers.itemcondition"}},
        {{"seller", "vendor", "merchant"}, {"seller", "offers.seller", "publisher"}},
        {{"brand", "manufacturer", "maker"}, {"brand", "manufacturer"}},
        {{"sku", "productid", "id", "identifier"}, {"sku", "productid", "identifier", "mpn", "gtin13"}},
        {{"rating", "score", "averagerating", "ratingvalue", "stars"},
         {"aggregaterating.ratingvalue", "reviewrating.ratingvalue", "ratingvalue", "rating"}},
        {{"reviewcount", "reviews", "ratingcount", "numberofreviews", "numreviews"},
         {"aggregaterating.reviewcount", "aggregaterating.ratingcount", "reviewcount", "commentcount"}},
        {{"image", "imageurl", "photo", "picture", "thumbnail", "images"},
         {"image", "thumbnailurl", "imagesecureurl", "photo"}},
        {{"url", "link", "canonical", "permalink"}, {"url", "mainentityofpage", "id"}},
        {{"date", "published", "publishedat", "publisheddate", "publishdate", "datepublished",
          "publishedtime", "publicationdate", "releasedate"},
         {"datepublished", "publishedtime", "uploaddate", "datecreated", "releasedate", "date"}},
        {{"modified", "updated", "updatedat", "lastmodified", "datemodified", "modifiedtime"},
         {"datemodified", "modifiedtime", "updatedtime"}},
        {{"site", "sitename", "publisher", "source"}, {"publisher", "sitename"}},
        {{"tags", "keywords", "tag"}, {"keywords", "tag"}},
        {{"category", "section", "categories"}, {"category", "articlesection", "section", "genre"}},
        {{"language", "lang", "locale"}, {"inlanguage", "language", "locale"}},
        {{"phone", "telephone", "phonenumber"}, {"telephone", "contactpoint.telephone"}},
        {{"email", "mail"}, {"email", "contactpoint.email"}},
        {{"city", "town"}, {"address.addresslocality", "location.address.addresslocality"}},
        {{"street", "streetaddress"}, {"address.streetaddress", "location.address.streetaddress"}},
        {{"postcode", "postalcode", "zip", "zipcode"}, {"address.postalcode", "location.address.postalcode"}},
        {{"country"}, {"address.addresscountry", "location.address.addresscountry"}},
        {{"latitude", "lat"}, {"geo.latitude", "location.geo.latitude"}},
        {{"longitude", "lng", "lon"}, {"geo.longitude", "location.geo.longitude"}},
        {{"venue", "place", "location"}, {"location", "location.name"}},
        {{"start", "startdate", "begins", "starttime"}, {"startdate"}},
        {{"end", "enddate", "ends", "endtime"}, {"enddate"}},
        {{"company", "employer", "organization", "organisation"},
         {"hiringorganization", "worksfor", "publisher"}},
        {{"salary"}, {"basesalary.value.value", "basesalary.value.minvalue", "basesalary"}},
        {{"ingredients"}, {"recipeingredient", "ingredients"}},
        {{"instructions", "steps"}, {"recipeinstructions", "step"}},
        {{"servings", "yield"}, {"recipeyield"}},
        {{"duration", "runtime", "length"}, {"duration", "totaltime", "timerequired"}},
        {{"cooktime"}, {"cooktime"}},
        {{"preptime"}, {"preptime"}},
        {{"isbn"}, {"isbn"}},
        {{"pages", "numberofpages", "pagecount"}, {"numberofpages"}},
        {{"type", "kind"}, {"type"}},
    };
    return rows;
}

}  // namespace

std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_ascii_letter(c) || is_ascii_digit(c) || byte >= 0x80) plain += c;
    }
    return lower_case(plain);
}

std::span<const std::string_view> synonyms_of(std::string_view name) {
    for (const Row& row : table())
        if (std::ranges::find(row.names, name) != row.names.end()) return row.paths;
    return {};
}

namespace {

constexpr int deepest = 12;

std::string_view text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view{};
}

std::vector<std::string_view> types_of(const json::object& schema) {
    if (const std::string_view type = text_at(schema, "type"); !type.empty()) return {type};
    std::vector<std::string_view> types;
    if (const json::value* list = schema.if_contains("type"); list != nullptr && list->is_array())
        for (const json::value& type : list->get_array()) types.emplace_back(type.get_string());
    if (!types.empty()) return types;
    if (schema.contains("properties")) return {"object"};
    if (schema.contains("items") || schema.contains("prefixItems")) return {"array"};
    return {};
}

// The choice that the text names, in whatever case, also as the last part of an address.
std::optional<json::value> choice(std::string_view text, const json::array& choices) {
    const std::string plain = plain_name(text), local = plain_name(local_name(text));
    for (const json::value& value : choices) {
        if (!value.is_string()) continue;
        const std::string name = plain_name(value.get_string());
        if (name == plain || name == local) return value;
    }
    return std::nullopt;
}

std::string text_of(const json::value& value) {
    if (const json::string* text = value.if_string()) return std::string(*text);
    if (const bool* yes = value.if_bool()) return *yes ? "true" : "false";
    return value.is_number() ? json::serialize(value) : std::string{};
}

bool is_separated_by_commas(std::string_view name) {
    static constexpr std::array<std::string_view, 4> names = {"keywords", "tags", "tag", "categories"};
    return std::ranges::find(names, name) != names.end();
}

json::value split_at_commas(std::string_view text) {
    json::array parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty())
            parts.emplace_back(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return json::value(std::move(parts));
}

}  // namespace

const json::value* Fit::member(const Object& fields, std::string_view name) const {
    for (const auto& field : fields) {
        if (names_left_ == 0) return nullptr;
        --names_left_;
        if (plain_name(field.key()) == name) return &field.value();
    }
    return nullptr;
}

const json::value* Fit::find_path(const Object& fields, std::string_view path) const {
    const json::object* object = &fields;
    while (true) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const json::value* value = member(*object, path.substr(0, dot));
        if (value == nullptr || dot == path.size()) return value;
        if (const json::array* list = value->if_array(); list != nullptr && !list->empty())
            value = &list->front();
        object = value->if_object();
        if (object == nullptr) return nullptr;
        path.remove_prefix(dot + 1);
    }
}

std::optional<json::value> Fit::value(const Value& found, const Value& subschema) const {
    return fit(found, subschema, 0);
}

std::optional<json::value> Fit::field(const Object& fields, std::string_view name,
                                      const Value& subschema) const {
    return field_at(fields, name, subschema, 0);
}

std::size_t Fit::score(const Object& fields, const Value& object_schema) const {
    const Object* schema = schema_.behind(object_schema).if_object();
    const Value* properties = schema != nullptr ? schema->if_contains("properties") : nullptr;
    if (properties == nullptr) return 0;
    return static_cast<std::size_t>(
        std::ranges::count_if(properties->get_object(), [&](const auto& property) {
            return field_at(fields, property.key(), property.value(), 1).has_value();
        }));
}

Fit::Found Fit::field_at(const Object& fields, std::string_view name, const Value& subschema,
                         int depth) const {
    const std::string plain = plain_name(name);
    const auto try_at = [&](std::string_view path) -> Found {
        const Value* found = find_path(fields, path);
        if (found == nullptr || found->is_null()) return std::nullopt;
        if (found->is_string() && is_separated_by_commas(plain))
            if (Found fitted = fit(split_at_commas(found->get_string()), subschema, depth + 1)) return fitted;
        return fit(*found, subschema, depth + 1);
    };
    if (Found fitted = try_at(plain)) return fitted;
    for (const std::string_view path : synonyms_of(plain))
        if (Found fitted = try_at(path)) return fitted;
    return std::nullopt;
}

Fit::Found Fit::fit(const Value& found, const Value& subschema, int depth) const {
    const Value& target = schema_.behind(subschema);
    const Object* schema = target.if_object();
    if (depth > deepest || found.is_null()) return std::nullopt;
    if (schema == nullptr) return target.get_bool() ? Found(found) : std::nullopt;
    const std::vector<std::string_view> types = types_of(*schema);
    for (const std::string_view type : types)
        if (Found fitted = fit_type(found, *schema, type, depth)) return fitted;
    if (!types.empty()) return std::nullopt;
    for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
        const Value* branches = schema->if_contains(key);
        if (branches == nullptr) continue;
        for (const Value& branch : branches->get_array())
            if (Found fitted = fit(found, branch, depth + 1)) return fitted;
        return std::nullopt;
    }
    return found.is_string() ? fit_text(found.get_string(), *schema) : Found(found);
}

Fit::Found Fit::fit_type(const Value& found, const Object& schema, std::string_view type, int depth) const {
    if (type == "null") return std::nullopt;
    if (type == "array") return fit_list(found, schema, depth);
    if (type == "object") return fit_object(found, schema, depth);
    return fit_scalar(found, schema, type, depth);
}

Fit::Found Fit::fit_list(const Value& found, const Object& schema, int depth) const {
    const Value* items = schema.if_contains("items");
    json::array list;
    const auto add = [&](const Value& item) {
        if (Found fitted = items != nullptr ? fit(item, *items, depth + 1) : Found(item))
            list.push_back(*std::move(fitted));
    };
    if (const json::array* values = found.if_array())
        for (const Value& value : *values) add(value);
    else
        add(found);
    if (list.empty()) return std::nullopt;
    return Value(std::move(list));
}

Fit::Found Fit::fit_object(const Value& found, const Object& schema, int depth) const {
    if (const json::array* list = found.if_array()) {
        for (const Value& item : *list)
            if (Found fitted = fit_object(item, schema, depth + 1)) return fitted;
        return std::nullopt;
    }
    const Value* properties = schema.if_contains("properties");
    const Object* fields = found.if_object();
    if (properties == nullptr) return fields != nullptr ? Found(found) : std::nullopt;
    Object described;
    if (fields == nullptr) {
        described["name"] = found;
        fields = &described;
    }
    Object result;
    for (const auto& property : properties->get_object())
        if (Found fitted = field_at(*fields, property.key(), property.value(), depth + 1))
            result[property.key()] = *std::move(fitted);
    if (result.empty()) return std::nullopt;
    return Value(std::move(result));
}

Fit::Found Fit::fit_scalar(const Value& found, const Object& schema, std::string_view type, int depth) const {
    if (const json::array* list = found.if_array()) {
        for (const Value& item : *list)
            if (Found fitted = fit_scalar(item, schema, type, depth + 1)) return fitted;
        return std::nullopt;
    }
    if (const Object* thing = found.if_object()) {
        for (const std::string_view key :
             {"name", "text", "value", "url", "contentUrl", "ratingValue", "@id"}) {
            const Value* inside = thing->if_contains(key);
            if (inside == nullptr || inside->is_structured()) continue;
            if (Found fitted = fit_scalar(*inside, schema, type, depth + 1)) return fitted;
        }
        return std::nullopt;
    }
    const std::string text = text_of(found);
    if (type == "string") return fit_text(text, schema);
    if (type == "boolean") {
        if (found.is_bool()) return found;
        if (Found yes = typed_value(text, ValueType::boolean, base_)) return yes;
        return typed_value(local_name(text), ValueType::boolean, base_);
    }
    if (found.is_number() && type == "number") return found;
    if (found.is_bool()) return std::nullopt;
    if (found.is_number()) return typed_value(text, ValueType::integer, base_);
    return typed_value(text, type == "integer" ? ValueType::integer : ValueType::number, base_);
}

Fit::Found Fit::fit_text(std::string_view text, const Object& schema) const {
    if (trimmed(text).empty()) return std::nullopt;
    if (const Value* choices = schema.if_contains("enum")) return choice(text, choices->get_array());
    const std::string_view format = text_at(schema, "format");
    if (format == "uri" || format == "url" || format == "iri")
        return typed_value(text, ValueType::url, base_);
    if (format == "date" || format == "date-time") {
        auto date = extract::iso_date(text);
        if (!date) return std::nullopt;
        constexpr std::size_t date_bytes = 10;
        return Value(format == "date" ? date->substr(0, date_bytes) : *date);
    }
    return Value(text);
}

}  // namespace quarry::structured
