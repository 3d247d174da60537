#include "extract/structured/linked_data.h"

#include <unordered_map>

#include <boost/json.hpp>

#include "extract/one_line.h"
#include "extract/structured/item_fields.h"

namespace quarry::structured {

namespace {

namespace json = boost::json;

std::string string_at(const json::object& node, std::string_view key) {
    const json::value* value = node.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
}

std::string type_of(const json::object& node) {
    const json::value* type = node.if_contains("@type");
    if (type != nullptr && type->is_array() && !type->get_array().empty()) type = &type->get_array().front();
    return type != nullptr && type->is_string() ? std::string(local_name(type->get_string())) : std::string{};
}

class Graph {
public:
    void add(const json::value& value, int depth = 0) {
        constexpr int deepest = 6;
        if (depth > deepest || nodes_.size() >= PageDataLimits::items) return;
        if (const json::array* list = value.if_array()) {
            for (const json::value& item : *list) add(item, depth + 1);
            return;
        }
        const json::object* node = value.if_object();
        if (node == nullptr) return;
        if (const std::string id = string_at(*node, "@id"); !id.empty() && node->size() > 1)
            by_id_.try_emplace(id, node);
        const json::value* graph = node->if_contains("@graph");
        if (graph != nullptr) add(*graph, depth + 1);
        const bool only_wraps = graph != nullptr && !node->contains("@type");
        if (!only_wraps) nodes_.push_back(node);
    }

    std::vector<Item> items() {
        std::vector<Item> items;
        for (const json::object* node : nodes_) {
            Item item{.source = Source::json_ld, .type = type_of(*node)};
            item.where = item.type.empty() ? "JSON-LD" : item.type;
            item.fields = fields_of(*node, 0, 0);
            if (!item.fields.empty()) items.push_back(std::move(item));
        }
        return items;
    }

private:
    json::object fields_of(const json::object& node, std::size_t depth, int references) {
        json::object fields;
        for (const auto& member : node) {
            if (values_left_ == 0) break;
            if (member.key() == "@graph" || member.key() == "@context" || member.key() == "@reverse")
                continue;
            const std::string_view name = member.key();
            json::value value = value_of(member.value(), depth, references);
            if (!value.is_null())
                fields.insert_or_assign(name.starts_with('@') ? name : local_name(name), std::move(value));
        }
        return fields;
    }

    json::value value_of(const json::value& value, std::size_t depth, int references) {
        if (depth >= PageDataLimits::nesting || values_left_ == 0) return nullptr;
        --values_left_;
        if (const json::string* text = value.if_string())
            return json::value(
                extract::line_of_html({text->data(), text->size()}, PageDataLimits::value_bytes));
        if (const json::array* list = value.if_array()) {
            json::array values;
            for (const json::value& item : *list)
                if (json::value read = value_of(item, depth + 1, references); !read.is_null())
                    values.push_back(std::move(read));
            return json::value(std::move(values));
        }
        const json::object* node = value.if_object();
        return node == nullptr ? value : thing(*node, depth, references);
    }

    // {"@value": 3} | {"@list": […]} | {"@id": "#ann"} | a node.
    json::value thing(const json::object& node, std::size_t depth, int references) {
        constexpr int most_references = 3;
        for (const std::string_view key : {"@value", "@list", "@set"})
            if (const json::value* inner = node.if_contains(key))
                return value_of(*inner, depth + 1, references);
        const auto found = node.size() == 1 ? by_id_.find(string_at(node, "@id")) : by_id_.end();
        const bool is_reference = found != by_id_.end() && references < most_references;
        json::object fields =
            fields_of(is_reference ? *found->second : node, depth + 1, references + (is_reference ? 1 : 0));
        if (fields.empty()) return nullptr;
        return json::value(std::move(fields));
    }

    std::vector<const json::object*> nodes_;
    std::unordered_map<std::string, const json::object*> by_id_;
    std::size_t values_left_ = PageDataLimits::values;
};

}  // namespace

std::vector<Item> read_linked_data(std::span<const std::string> texts) {
    std::vector<json::value> values;
    values.reserve(texts.size());
    Graph graph;
    for (const std::string& text : texts) {
        json::error_code error;
        json::value value = json::parse(text, error);
        if (error) continue;
        values.push_back(std::move(value));
        graph.add(values.back());
    }
    return graph.items();
}

}  // namespace quarry::structured
