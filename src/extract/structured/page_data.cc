#include "extract/structured/page_data.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/metadata/links.h"
#include "extract/metadata/metadata.h"
#include "extract/structured/items.h"

namespace quarry::structured {

namespace json = boost::json;

std::string_view local_name(std::string_view name) {
    while (name.ends_with('/') || name.ends_with('#')) name.remove_suffix(1);
    const std::size_t mark = name.find_last_of("/#:");
    return mark == name.npos ? name : name.substr(mark + 1);
}

void add_field(json::object& fields, std::string_view name, json::value value) {
    const auto [place, is_new] = fields.emplace(name, nullptr);
    if (is_new) {
        place->value() = std::move(value);
    } else if (json::array* list = place->value().if_array()) {
        list->push_back(std::move(value));
    } else {
        json::array both;
        both.push_back(std::move(place->value()));
        both.push_back(std::move(value));
        place->value() = std::move(both);
    }
}

namespace {

namespace json = boost::json;

// "product:price:amount" is the field "price:amount" of a product; what belongs to the page itself has "og:".
std::string_view without_prefix(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == name.npos ? name : name.substr(colon + 1);
}

Item open_graph_item(const Metadata& metadata) {
    Item item{.source = Source::open_graph, .where = "Open Graph"};
    const auto add = [&item](std::string_view name, const std::string& value) {
        add_field(item.fields, name, json::value(value));
    };
    for (const auto& [name, value] : metadata.open_graph) {
        if (name == "og:type") item.type = value;
        add(without_prefix(name), value);
    }
    for (const auto& [name, value] : metadata.other) {
        const std::string lower = lower_case(name);
        const bool is_known = lower.starts_with("twitter:") && item.fields.contains(without_prefix(lower));
        if (lower.starts_with("twitter:") && !is_known) add(without_prefix(lower), value);
    }
    return item;
}

// What the page's tags say, judged as for every document (extract/metadata/metadata.h), and the tags as they
// are.
Item meta_item(const Metadata& metadata) {
    Item item{.source = Source::meta, .where = "meta tags"};
    const std::pair<std::string_view, const std::string*> judged[] = {{"title", &metadata.title},
                                                                      {"description", &metadata.description},
                                                                      {"language", &metadata.language},
                                                                      {"url", &metadata.canonical},
                                                                      {"author", &metadata.author},
                                                                      {"siteName", &metadata.site_name},
                                                                      {"datePublished", &metadata.published},
                                                                      {"dateModified", &metadata.modified},
                                                                      {"image", &metadata.image},
                                                                      {"keywords", &metadata.keywords}};
    for (const auto& [name, value] : judged)
        if (!value->empty()) item.fields.emplace(name, *value);
    for (const auto* list : {&metadata.dublin_core, &metadata.other})
        for (const auto& [name, value] : *list)
            if (!item.fields.contains(name)) item.fields.emplace(name, value);
    return item;
}

}  // namespace

std::string_view name_of(Source source) {
    static constexpr std::array<std::string_view, 8> names = {"rule",       "json-ld", "microdata", "rdfa",
                                                              "open-graph", "meta",    "table",     "model"};
    return names[static_cast<std::size_t>(source)];
}

json::array PageData::to_json() const {
    json::array list;
    for (const Item& item : items) {
        json::object object{{"source", name_of(item.source)}, {"where", item.where}};
        if (!item.type.empty()) object["type"] = item.type;
        object["fields"] = item.fields;
        list.push_back(std::move(object));
    }
    return list;
}

PageData read_page_data(const html::Tree& tree, std::string_view page_url,
                        const std::vector<Header>& headers) {
    const std::optional<url::Url> found = extract::base_url(tree, page_url);
    const url::Url* base = found ? &*found : nullptr;
    const Metadata metadata = extract::read_metadata(tree, base, headers);
    PageData data{.items = read_linked_data(metadata.json_ld)};
    const auto append = [&data](std::vector<Item> items) {
        std::ranges::move(items, std::back_inserter(data.items));
    };
    append(read_microdata(tree, base));
    append(read_rdfa(tree, base));
    if (Item item = open_graph_item(metadata); !item.fields.empty()) data.items.push_back(std::move(item));
    if (Item item = meta_item(metadata); !item.fields.empty()) data.items.push_back(std::move(item));
    append(read_tables(tree));
    return data;
}

}  // namespace quarry::structured
