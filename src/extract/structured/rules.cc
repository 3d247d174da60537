#include "extract/structured/rules.h"

#include <algorithm>
#include <array>
#include <map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "extract/html_writer.h"
#include "extract/one_line.h"

namespace quarry::structured {

namespace {

namespace json = boost::json;
using Get = Rule::Get;

constexpr std::size_t most_rules = 500;
constexpr int deepest_rules = 4;
constexpr std::array<std::string_view, 6> keys = {"selector", "attribute", "get", "type", "list", "fields"};

class Parser {
public:
    Result<std::vector<Rule>> fields(const json::value& value, const std::string& where, int depth) {
        const json::object* object = value.if_object();
        if (object == nullptr || object->empty())
            return wrong(where, "must be an object with a rule for each field");
        if (depth > deepest_rules) return fail(ErrorCode::too_large, "rules nest at most four levels deep");
        std::vector<Rule> rules;
        for (const auto& member : *object) {
            if (++count_ > most_rules) return fail(ErrorCode::too_large, "there are at most 500 rules");
            const std::string name(member.key());
            rules.push_back(TRY(rule(name, member.value(), where + "/" + name, depth)));
        }
        return rules;
    }

    static std::unexpected<Error> wrong(const std::string& where, std::string_view message) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the rules cannot be used: {} {}", where, message));
    }

private:
    Result<Rule> rule(const std::string& name, const json::value& value, const std::string& where,
                      int depth) {
        Rule rule{.name = name};
        if (const json::string* selector = value.if_string()) {
            TRY(set_selector(rule, *selector, where));
            return rule;
        }
        const json::object* object = value.if_object();
        if (object == nullptr) return wrong(where, "must be a selector, or an object with one");
        for (const auto& member : *object)
            TRY(set(rule, member, where + "/" + std::string(member.key()), depth));
        if (rule.get == Get::attribute && rule.attribute.empty())
            return wrong(where, "gets an attribute without a name");
        if (object->contains("fields") &&
            (object->contains("attribute") || object->contains("type") || object->contains("get")))
            return wrong(where, "has fields, so it can have no attribute, get or type");
        if (rule.selector.empty() && rule.is_list) return wrong(where, "is a list, so it needs a selector");
        return rule;
    }

    Result<void> set(Rule& rule, const json::key_value_pair& member, const std::string& where, int depth) {
        const std::string_view key = member.key();
        const json::value& value = member.value();
        if (key == "fields") {
            rule.get = Get::fields;
            rule.fields = TRY(fields(value, where, depth + 1));
            return {};
        }
        if (key == "list") {
            if (!value.is_bool()) return wrong(where, "must be true or false");
            rule.is_list = value.get_bool();
            return {};
        }
        const json::string* text = value.if_string();
        const bool is_known = std::ranges::find(keys, key) != keys.end();
        if (!is_known) return unknown(key, where);
        if (text == nullptr) return wrong(where, "must be a string");
        return set_text(rule, key, *text, where);
    }

    Result<void> set_text(Rule& rule, std::string_view key, std::string_view text, const std::string& where) {
        if (key == "selector") return set_selector(rule, text, where);
        if (key == "attribute") {
            rule.attribute = text;
            rule.get = Get::attribute;
            return {};
        }
        if (key == "type") {
            auto type = parse_value_type(text);
            if (!type) return wrong(where, type.error().message);
            rule.type = *type;
            return {};
        }
        if (text == "html")
            rule.get = Get::html;
        else if (text != "text")
            return wrong(where, "must be text or html");
        return {};
    }

    static Result<void> set_selector(Rule& rule, std::string_view text, const std::string& where) {
        auto compiled = html::parse_selectors(text);
        if (!compiled)
            return wrong(where,
                         fmt::format("has a selector that cannot be read: {}", compiled.error().message));
        rule.selector = text;
        rule.compiled = *std::move(compiled);
        return {};
    }

    static Result<void> unknown(std::string_view key, const std::string& where) {
        const std::vector<std::string> known(keys.begin(), keys.end());
        const std::string nearest = nearest_word(key, known);
        if (!nearest.empty())
            return wrong(where, fmt::format("is no part of a rule, did you mean \"{}\"?", nearest));
        return wrong(where, fmt::format("is no part of a rule: there are {}", fmt::join(keys, ", ")));
    }

    std::size_t count_ = 0;
};

json::object json_of(const std::vector<Rule>& rules);

json::value json_of(const Rule& rule) {
    json::object object;
    if (!rule.selector.empty()) object["selector"] = rule.selector;
    if (rule.get == Get::attribute) object["attribute"] = rule.attribute;
    if (rule.get == Get::html) object["get"] = "html";
    if (rule.is_list) object["list"] = true;
    if (rule.type != ValueType::string) {
        static constexpr std::array<std::string_view, 6> names = {"string",  "number", "integer",
                                                                  "boolean", "date",   "url"};
        object["type"] = names[static_cast<std::size_t>(rule.type)];
    }
    if (rule.get == Get::fields) object["fields"] = json_of(rule.fields);
    return json::value(std::move(object));
}

json::object json_of(const std::vector<Rule>& rules) {
    json::object fields;
    for (const Rule& rule : rules) fields[rule.name] = json_of(rule);
    return fields;
}

}  // namespace

Result<Rules> Rules::parse(std::string_view text) {
    json::error_code error;
    const json::value value = json::parse(text, error);
    if (error) return fail(ErrorCode::invalid_argument, "the rules are not JSON: " + error.message());
    return read(value);
}

Result<Rules> Rules::read(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* fields = object != nullptr ? object->if_contains("fields") : nullptr;
    if (fields == nullptr || object->size() != 1)
        return Parser::wrong("the file", R"(must be an object with "fields" and nothing else)");
    Rules rules;
    rules.fields_ = TRY(Parser().fields(*fields, "/fields", 1));
    return rules;
}

json::object Rules::to_json() const {
    return {{"fields", json_of(fields_)}};
}

// Every selector is evaluated once, for all of the page; what is inside an element is then a range of its
// matches, found by bisection, since matches are in document order.

namespace {

namespace json = boost::json;
using html::NodeId;

constexpr std::size_t value_bytes = 64 << 10;

class Application {
public:
    Application(const html::Tree& tree, const url::Url* base) : tree_(tree), base_(base) {}

    json::object fields_in(const std::vector<Rule>& rules, NodeId around) {
        json::object fields;
        for (const Rule& rule : rules)
            if (json::value value = field(rule, around); !value.is_null())
                fields[rule.name] = std::move(value);
        return fields;
    }

private:
    const std::vector<NodeId>& matches(const Rule& rule) {
        const auto [place, is_new] = matches_.try_emplace(&rule);
        if (is_new) place->second = html::select(tree_, rule.compiled);
        return place->second;
    }

    json::value field(const Rule& rule, NodeId around) {
        if (rule.selector.empty()) return value_of(rule, around);
        const std::vector<NodeId>& all = matches(rule);
        auto match = std::ranges::lower_bound(all, around);
        json::array list;
        for (; match != all.end() && *match < tree_[around].end && values_left_ > 0; ++match) {
            json::value value = value_of(rule, *match);
            if (value.is_null()) continue;
            if (!rule.is_list) return value;
            list.push_back(std::move(value));
        }
        if (list.empty()) return nullptr;
        return json::value(std::move(list));
    }

    json::value value_of(const Rule& rule, NodeId id) {
        if (values_left_ == 0 || bytes_left_ == 0) return nullptr;
        --values_left_;
        if (rule.get == Rule::Get::fields) {
            json::object fields = fields_in(rule.fields, id);
            if (fields.empty()) return nullptr;
            return json::value(std::move(fields));
        }
        const std::string text = text_of(rule, id);
        if (text.empty()) return nullptr;
        bytes_left_ -= std::min(bytes_left_, text.size());
        return typed_value(text, rule.type, base_).value_or(nullptr);
    }

    std::string text_of(const Rule& rule, NodeId id) {
        switch (rule.get) {
            case Rule::Get::attribute: {
                const auto name = tree_.find_attribute_name(lower_case(rule.attribute));
                const auto value = name ? tree_.attribute(id, *name) : std::nullopt;
                return value ? extract::one_line(*value, value_bytes) : std::string{};
            }
            case Rule::Get::html: return html_of(id);
            default: return extract::text_line(tree_, id, value_bytes);
        }
    }

    // Writing a part costs a mark for every node of the page, so there is no writing thousands of parts.
    std::string html_of(NodeId id) {
        if (parts_left_ == 0) return {};
        --parts_left_;
        extract::Selection selection(tree_, false);
        for (NodeId inside = id; inside < tree_[id].end; ++inside) selection.keep(inside);
        for (NodeId above = tree_[id].parent; above != html::no_node; above = tree_[above].parent)
            selection.keep(above);
        return extract::to_clean_html(tree_, selection, {.base = base_});
    }

    const html::Tree& tree_;
    const url::Url* base_;
    std::map<const Rule*, std::vector<NodeId>> matches_;
    std::size_t values_left_ = 10'000;
    std::size_t bytes_left_ = 4 << 20;
    int parts_left_ = 100;
};

}  // namespace

json::object Rules::apply(const html::Tree& tree, const url::Url* base) const {
    return tree.size() == 0 ? json::object()
                            : Application(tree, base).fields_in(fields_, html::document_node);
}

}  // namespace quarry::structured
