#include "model/json/document_json.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace quarry {

namespace {

namespace json = boost::json;

// "og:site_name" becomes "ogSiteName", "dc.date.created" becomes "dcDateCreated".
std::string camel_case(std::string_view name) {
    std::string key;
    bool starts_word = false;
    for (const char letter : name) {
        if (letter == ':' || letter == '.' || letter == '_' || letter == '-') {
            starts_word = !key.empty();
            continue;
        }
        const bool is_lower = letter >= 'a' && letter <= 'z';
        key += starts_word && is_lower ? static_cast<char>(letter - 'a' + 'A') : letter;
        starts_word = false;
    }
    return key;
}

// Firecrawl gives these names to Open Graph's article:… properties.
std::string open_graph_key(std::string_view name) {
    if (name == "article:published_time") return "publishedTime";
    if (name == "article:modified_time") return "modifiedTime";
    return camel_case(name);
}

void add_text(json::object& object, std::string_view key, const std::string& value) {
    if (!value.empty() && !object.contains(key)) object.emplace(key, value);
}

// A name met again turns its value into a list, as Firecrawl's clients expect of repeated meta tags.
void add_repeated(json::object& object, const std::string& key, const std::string& value) {
    if (key.empty()) return;
    json::value& place = object[key];
    if (place.is_null()) {
        place = value;
    } else if (place.is_array()) {
        place.as_array().emplace_back(value);
    } else {
        place = json::array{std::move(place), json::value(value)};
    }
}

std::string directives(const RobotsDirectives& robots) {
    std::string list;
    const auto add = [&](bool asked, std::string_view name) {
        if (!asked) return;
        if (!list.empty()) list += ", ";
        list += name;
    };
    add(robots.noindex, "noindex");
    add(robots.nofollow, "nofollow");
    add(robots.noarchive, "noarchive");
    add(robots.nosnippet, "nosnippet");
    return list;
}

void add_stated_fields(json::object& object, const Metadata& metadata) {
    add_text(object, "title", metadata.title);
    add_text(object, "description", metadata.description);
    add_text(object, "language", metadata.language);
    add_text(object, "author", metadata.author);
    add_text(object, "keywords", metadata.keywords);
    add_text(object, "robots", directives(metadata.robots));
    add_text(object, "siteName", metadata.site_name);
    add_text(object, "canonical", metadata.canonical);
    add_text(object, "favicon", metadata.favicon);
    add_text(object, "image", metadata.image);
    add_text(object, "publishedTime", metadata.published);
    add_text(object, "modifiedTime", metadata.modified);
    if (metadata.pages > 0) object["numPages"] = metadata.pages;
}

// Facts about the fetch, which the caller adds. A page that names a meta tag so must not pass for it.
bool is_reserved(std::string_view name) {
    constexpr std::array reserved{
        std::string_view{"url"},
        std::string_view{"sourceURL"},
        std::string_view{"statusCode"},
        std::string_view{"error"},
        std::string_view{"scrapeId"},
        std::string_view{"contentType"},
        std::string_view{"proxyUsed"},
        std::string_view{"cacheState"},
        std::string_view{"cachedAt"},
        std::string_view{"numPages"},
        std::string_view{"totalPages"},
        std::string_view{"creditsUsed"},
        std::string_view{"concurrencyLimited"},
    };
    return std::ranges::find(reserved, name) != reserved.end();
}

// What the page names itself is gathered apart, so that repetition makes lists there but never touches ours.
void add_page_fields(json::object& object, const Metadata& metadata) {
    json::object stated;
    for (const auto& [name, value] : metadata.open_graph) add_repeated(stated, open_graph_key(name), value);
    for (const auto& [name, value] : metadata.dublin_core) add_repeated(stated, camel_case(name), value);
    for (const auto& [name, value] : metadata.other) add_repeated(stated, name, value);
    for (json::key_value_pair& field : stated) {
        if (!object.contains(field.key()) && !is_reserved(field.key()))
            object.emplace(field.key(), std::move(field.value()));
    }
}

json::array json_ld(const Metadata& metadata) {
    json::array list;
    for (const std::string& text : metadata.json_ld) {
        boost::system::error_code error;
        json::value value = json::parse(text, error);
        if (!error) list.push_back(std::move(value));
    }
    return list;
}

template <typename Item>
json::array urls(const std::vector<Item>& items) {
    json::array list;
    list.reserve(items.size());
    for (const Item& item : items) list.emplace_back(item.url);
    return list;
}

json::array attributes(const Document& document) {
    json::array list;
    for (const AttributeValues& one : document.attributes) {
        json::array values;
        for (const std::string& value : one.values) values.emplace_back(value);
        list.push_back(json::object{
            {"selector", one.selector}, {"attribute", one.attribute}, {"values", std::move(values)}});
    }
    return list;
}

}  // namespace

boost::json::object to_json(const Metadata& metadata) {
    json::object object;
    add_stated_fields(object, metadata);
    if (json::array list = json_ld(metadata); !list.empty()) object["jsonLd"] = std::move(list);
    add_page_fields(object, metadata);
    return object;
}

boost::json::object to_json(const Document& document, const Formats& formats) {
    json::object object;
    if (formats.markdown) object["markdown"] = document.markdown;
    if (formats.html) object["html"] = document.html;
    if (formats.raw_html) object["rawHtml"] = document.raw_html;
    if (formats.text) object["text"] = document.text;
    if (formats.links) object["links"] = urls(document.links);
    if (formats.images) object["images"] = urls(document.images);
    if (!document.attributes.empty()) object["attributes"] = attributes(document);
    add_text(object, "warning", document.warning);
    if (formats.metadata) object["metadata"] = to_json(document.metadata);
    return object;
}

}  // namespace quarry
