#include "crawl/options/json.h"

#include <array>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "url/page_address.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_quote = 80;

struct NamedFormat {
    std::string_view name;
    bool Formats::*wanted;
};

constexpr std::array written_formats{
    NamedFormat{"markdown", &Formats::markdown}, NamedFormat{"html", &Formats::html},
    NamedFormat{"rawHtml", &Formats::raw_html},  NamedFormat{"text", &Formats::text},
    NamedFormat{"links", &Formats::links},       NamedFormat{"images", &Formats::images},
    NamedFormat{"branding", &Formats::branding}, NamedFormat{"metadata", &Formats::metadata},
};

// A format is its name, or an object with the name as its "type".
Result<std::string> format_name(const json::value& value) {
    const json::value* name = value.is_object() ? value.get_object().if_contains("type") : &value;
    if (name == nullptr || !name->is_string()) return wrong_kind(value, "formats", "a list of names");
    // parse_formats reads a list; a name with a comma in it would pass as two.
    if (name->get_string().find(',') != json::string::npos)
        return fail(ErrorCode::invalid_argument, "a format's name has no comma; name each on its own");
    return std::string(name->get_string());
}

bool names_differ(const std::vector<Header>& headers) {
    std::set<std::string_view> names;
    for (const Header& header : headers) names.insert(header.name);
    return names.size() == headers.size();
}

Result<Header> read_header(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* name = object ? object->if_contains("name") : nullptr;
    const json::value* text = object ? object->if_contains("value") : nullptr;
    if (!name || !text || !name->is_string() || !text->is_string())
        return wrong_kind(value, "headers", R"({"name": …, "value": …})");
    return Header{std::string(name->get_string()), std::string(text->get_string())};
}

}  // namespace

std::unexpected<Error> wrong_kind(const json::value& value, std::string_view name, std::string_view wanted) {
    std::string found = json::serialize(value);
    if (found.size() > longest_quote) found.resize(longest_quote);
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" must be {}, not {}", name, wanted, found));
}

void hide_url_secrets(json::value& value) {
    if (json::object* object = value.if_object()) {
        for (auto& member : *object) hide_url_secrets(member.value());
    } else if (json::array* array = value.if_array()) {
        for (json::value& item : *array) hide_url_secrets(item);
    } else if (const json::string* text = value.if_string()) {
        const bool may_have =
            text->find("://") != json::string::npos && text->find('@') != json::string::npos;
        if (may_have) value = json::string(url::without_secrets(*text));
    }
}

Result<std::vector<std::string>> read_texts(const json::value& value, std::string_view name) {
    if (!value.is_array()) return wrong_kind(value, name, "a list of texts");
    std::vector<std::string> texts;
    for (const json::value& text : value.get_array()) {
        if (!text.is_string()) return wrong_kind(text, name, "a list of texts");
        texts.emplace_back(text.get_string());
    }
    return texts;
}

Result<Formats> read_formats(const json::value& value) {
    if (!value.is_array()) return wrong_kind(value, "formats", "a list of names");
    std::string list;
    for (const json::value& format : value.get_array()) {
        if (!list.empty()) list += ',';
        list += TRY(format_name(format));
    }
    if (value.get_array().empty()) return Formats{.markdown = false, .metadata = false};
    return parse_formats(list);
}

json::array write_formats(const Formats& formats) {
    json::array names;
    for (const NamedFormat& format : written_formats)
        if (formats.*(format.wanted)) names.emplace_back(format.name);
    return names;
}

Result<std::vector<Header>> read_headers(const json::value& value) {
    std::vector<Header> headers;
    if (const json::object* object = value.if_object()) {
        for (const auto& member : *object) {
            if (!member.value().is_string())
                return wrong_kind(member.value(), "headers", "an object of texts");
            headers.push_back({std::string(member.key()), std::string(member.value().get_string())});
        }
        return headers;
    }
    if (!value.is_array()) return wrong_kind(value, "headers", "an object of texts");
    for (const json::value& header : value.get_array()) headers.push_back(TRY(read_header(header)));
    return headers;
}

json::value write_headers(const std::vector<Header>& headers) {
    if (names_differ(headers)) {
        json::object object;
        for (const Header& header : headers) object[header.name] = header.value;
        return object;
    }
    json::array array;
    for (const Header& header : headers) array.push_back({{"name", header.name}, {"value", header.value}});
    return array;
}

Result<std::vector<AttributeWish>> read_attributes(const json::value& value) {
    constexpr std::string_view wanted = "a list of objects with \"selector\" and \"attribute\"";
    if (!value.is_array()) return wrong_kind(value, "attributes", wanted);
    std::vector<AttributeWish> wishes;
    for (const json::value& item : value.get_array()) {
        const json::object* object = item.if_object();
        const json::value* selector = object ? object->if_contains("selector") : nullptr;
        const json::value* attribute = object ? object->if_contains("attribute") : nullptr;
        if (!selector || !attribute || !selector->is_string() || !attribute->is_string())
            return wrong_kind(item, "attributes", wanted);
        wishes.push_back({std::string(selector->get_string()), std::string(attribute->get_string())});
    }
    return wishes;
}

Result<DataWish> read_data(const json::value& value) {
    const json::object* object = value.if_object();
    if (!object) return wrong_kind(value, "data", "an object");
    DataWish data;
    const auto text = [](const json::object& in, std::string_view name) {
        const json::value* found = in.if_contains(name);
        return found && found->is_string() ? std::string(found->get_string()) : std::string();
    };
    if (const json::value* json = object->if_contains("json"); json && json->is_object()) {
        data.wants_json = true;
        const json::value* schema = json->get_object().if_contains("schema");
        if (schema && !schema->is_null()) data.schema = json::serialize(*schema);
        data.prompt = text(json->get_object(), "prompt");
    }
    if (const json::value* summary = object->if_contains("summary")) data.wants_summary = *summary == true;
    data.question = text(*object, "question");
    data.highlights = text(*object, "highlights");
    return data;
}

json::object write_data(const DataWish& data) {
    json::object out;
    if (data.wants_json) {
        boost::system::error_code none;                      // it was JSON
        const json::parse_options deep{.max_depth = 1'000};  // how deep it may be is checked with the rest
        out["json"] = {
            {"schema", data.schema.empty() ? json::value() : json::parse(data.schema, none, {}, deep)},
            {"prompt", data.prompt}};
    }
    if (data.wants_summary) out["summary"] = true;
    if (!data.question.empty()) out["question"] = data.question;
    if (!data.highlights.empty()) out["highlights"] = data.highlights;
    return out;
}

json::array write_attributes(const std::vector<AttributeWish>& attributes) {
    json::array array;
    for (const AttributeWish& wish : attributes)
        array.push_back({{"selector", wish.selector}, {"attribute", wish.attribute}});
    return array;
}

}  // namespace quarry::crawl
