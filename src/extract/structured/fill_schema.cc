#include "extract/structured/fill_schema.h"

#include <algorithm>
#include <map>
#include <optional>

#include <boost/json.hpp>

#include "extract/structured/fit.h"
#include "schema/json_values.h"

namespace quarry::structured {

namespace {

namespace json = boost::json;
using schema::Schema;

// Things of one kind from one place: rows of a table, products of a list.
struct Group {
    Source source = Source::table;
    std::string where{};
    std::vector<const json::object*> things{};
};

// The things of a schema.org ItemList, which stand under "item" or for themselves.
void add_listed(const Item& item, std::vector<Group>& groups) {
    const json::value* listed = item.fields.if_contains("itemListElement");
    const json::array* list = listed != nullptr ? listed->if_array() : nullptr;
    if (list == nullptr) return;
    Group group{.source = item.source, .where = item.where};
    for (const json::value& element : *list) {
        const json::object* thing = element.if_object();
        if (thing == nullptr) continue;
        const json::value* inner = thing->if_contains("item");
        group.things.push_back(inner != nullptr && inner->is_object() ? &inner->get_object() : thing);
    }
    groups.push_back(std::move(group));
}

std::vector<Group> groups_of(const PageData& page) {
    std::vector<Group> groups;
    std::map<std::pair<Source, std::string>, std::size_t> places;
    for (const Item& item : page.items) {
        if (item.source == Source::open_graph || item.source == Source::meta) continue;
        const auto [place, is_new] = places.try_emplace({item.source, item.where}, groups.size());
        if (is_new) groups.push_back({.source = item.source, .where = item.where});
        groups[place->second].things.push_back(&item.fields);
    }
    for (const Item& item : page.items) add_listed(item, groups);
    return groups;
}

const json::value* member(const json::value& schema, std::string_view key) {
    const json::object* object = schema.if_object();
    return object != nullptr ? object->if_contains(key) : nullptr;
}

bool allows_null(const json::value& schema) {
    const json::value* type = member(schema, "type");
    if (type == nullptr || !type->is_array()) return false;
    return std::ranges::any_of(type->get_array(), [](const json::value& name) { return name == "null"; });
}

class Filling {
public:
    Filling(const Schema& schema, const Material& material)
        : schema_(schema), material_(material), fit_(schema, material.base) {}

    Result<Filled> run() {
        const json::value& root = schema_.behind(schema_.document());
        if (member(root, "properties") != nullptr)
            fill_object(root);
        else if (member(root, "items") != nullptr)
            fill_list(root);
        else
            return fail(
                ErrorCode::unsupported,
                "without a model the schema must describe an object with properties, or a list of them");
        filled_.problems = TRY(schema_.check(filled_.data));
        return std::move(filled_);
    }

private:
    void fill_object(const json::value& root) {
        if (material_.page != nullptr) choose_items(root);
        json::object& data = filled_.data.emplace_object();
        for (const auto& property : member(root, "properties")->get_object()) {
            std::optional<json::value> value = find(property.key(), property.value());
            if (value) data[property.key()] = *std::move(value);
        }
        const json::value* required = member(root, "required");
        for (const json::value& name : required != nullptr ? required->get_array() : json::array()) {
            const json::value* property = member(*member(root, "properties"), name.get_string());
            if (property != nullptr && allows_null(schema_.behind(*property)))
                data.emplace(name.get_string(), nullptr);
        }
    }

    void fill_list(const json::value& root) {
        filled_.data.emplace_array();
        std::optional<json::value> list;
        if (material_.rules != nullptr) {
            for (const auto& field : *material_.rules) {
                list = field.value().is_array() ? fit_.value(field.value(), root) : std::nullopt;
                if (list) note("", Source::rule, std::string(field.key()));
                if (list) break;
            }
        }
        if (!list) list = collect("", *member(root, "items"));
        if (list) filled_.data = *std::move(list);
    }

    std::optional<json::value> find(std::string_view name, const json::value& subschema) {
        std::string pointer;
        schema::append_to_pointer(pointer, name);
        const json::value* ruled = material_.rules != nullptr ? material_.rules->if_contains(name) : nullptr;
        if (ruled != nullptr) {
            if (auto value = fit_.value(*ruled, subschema)) {
                note(pointer, Source::rule, std::string(name));
                return value;
            }
        }
        for (const Item* item : chosen_) {
            if (auto value = fit_.field(item->fields, name, subschema)) {
                note(pointer, item->source, item->where);
                return value;
            }
        }
        const json::value* items = member(schema_.behind(subschema), "items");
        return items != nullptr ? collect(pointer, *items) : std::nullopt;
    }

    // The one thing of each source that answers most, and all that describe the page as a whole.
    void choose_items(const json::value& root) {
        std::map<std::string, int> rows;
        for (const Item& item : material_.page->items)
            if (item.source == Source::table) ++rows[item.where];
        std::map<Source, std::pair<std::size_t, const Item*>> best;
        for (const Item& item : material_.page->items) {
            const bool is_shared = item.source >= Source::open_graph;
            if (item.source == Source::table && rows[item.where] > 1) continue;
            if (is_shared) continue;
            const std::size_t score = fit_.score(item.fields, root) + (is_of_type(item, root) ? 2 : 0);
            auto& [most, chosen] = best[item.source];
            if (score > most) most = score, chosen = &item;
        }
        for (const auto& [source, choice] : best)
            if (choice.second != nullptr) chosen_.push_back(choice.second);
        for (const Item& item : material_.page->items)
            if (item.source >= Source::open_graph && !(item.source == Source::table && rows[item.where] > 1))
                chosen_.push_back(&item);
    }

    static bool is_of_type(const Item& item, const json::value& root) {
        const json::value* title = member(root, "title");
        return title != nullptr && title->is_string() && !item.type.empty() &&
               plain_name(title->get_string()) == plain_name(item.type);
    }

    // The things of the group that answers most of the schema.
    std::optional<json::value> collect(const std::string& pointer, const json::value& items) {
        if (material_.page == nullptr || member(schema_.behind(items), "properties") == nullptr)
            return std::nullopt;
        const Group* best = nullptr;
        std::size_t most = 0;
        if (!groups_) groups_ = groups_of(*material_.page);
        for (const Group& group : *groups_) {
            if (group.things.empty()) continue;
            const std::size_t score = fit_.score(*group.things.front(), items);
            if (score > most) most = score, best = &group;
        }
        if (best == nullptr) return std::nullopt;
        json::array list;
        for (const json::object* thing : best->things)
            if (auto value = fit_.value(json::value(*thing), items)) list.push_back(*std::move(value));
        if (list.empty()) return std::nullopt;
        note(pointer, best->source, best->where);
        return json::value(std::move(list));
    }

    void note(std::string field, Source source, std::string where) {
        filled_.sources.push_back({std::move(field), source, std::move(where)});
    }

    const Schema& schema_;
    const Material& material_;
    Fit fit_;
    std::vector<const Item*> chosen_;           // in the order in which they are asked
    std::optional<std::vector<Group>> groups_;  // made when a list is wanted
    Filled filled_;
};

}  // namespace

json::array Filled::sources_json() const {
    json::array list;
    for (const FieldSource& source : sources)
        list.push_back(json::object{
            {"field", source.field}, {"source", name_of(source.source)}, {"where", source.where}});
    return list;
}

json::array Filled::problems_json() const {
    json::array list;
    for (const schema::Problem& problem : problems)
        list.push_back(json::object{{"where", problem.where}, {"message", problem.message}});
    return list;
}

Result<Filled> fill_schema(const Schema& schema, const Material& material) {
    return Filling(schema, material).run();
}

}  // namespace quarry::structured
