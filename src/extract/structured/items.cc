// One preorder walk with a stack of open items. A field's element that opens an item becomes a nested item,
// and is handed to its owner when it closes.
#include "extract/structured/items.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "extract/content/visibility.h"
#include "extract/markdown/tables.h"
#include "extract/metadata/links.h"
#include "extract/one_line.h"
#include "extract/structured/page_data.h"

namespace quarry::structured {

namespace {

namespace json = boost::json;
using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

struct Dialect {
    Source source;
    Attr opens;  // the attribute that begins an item
    Attr type;
    Attr name;
};

constexpr Dialect microdata{Source::microdata, Attr::itemscope, Attr::itemtype, Attr::itemprop};
constexpr Dialect rdfa{Source::rdfa, Attr::typeof_, Attr::typeof_, Attr::property};

std::vector<std::string_view> words_of(std::string_view list) {
    std::vector<std::string_view> words;
    constexpr std::size_t most = 16;
    while (words.size() < most) {
        list = trimmed(list);
        if (list.empty()) break;
        const std::size_t end = std::min(list.find_first_of(ascii_white_space), list.size());
        words.push_back(list.substr(0, end));
        list.remove_prefix(end);
    }
    return words;
}

struct OpenItem {
    NodeId end = 0;
    std::vector<std::string_view> names{};  // of the field it is in the item around it; none: it stands alone
    Item item{};
};

class Reader {
public:
    Reader(const Tree& tree, const Dialect& dialect, const url::Url* base)
        : tree_(tree), dialect_(dialect), base_(base) {}

    std::vector<Item> read() {
        if (!tree_.may_have(dialect_.opens)) return {};
        if (tree_.may_have(Attr::itemref)) find_ids();
        walk(0, tree_.size());
        return std::move(done_);
    }

private:
    void find_ids() {
        for (NodeId id = 0; id < tree_.size(); ++id)
            if (const auto name = tree_.attribute(id, Attr::id)) by_id_.try_emplace(*name, id);
    }

    void walk(NodeId from, NodeId to) {
        const std::size_t around = open_.size();
        for (NodeId id = from; id < to; ++id) {
            while (open_.size() > around && open_.back().end <= id) close();
            if (tree_[id].kind == html::NodeKind::template_contents) {
                id = tree_[id].end - 1;
                continue;
            }
            if (tree_.is_element(id)) visit(id);
        }
        while (open_.size() > around) close();
    }

    void visit(NodeId id) {
        const bool opens = tree_.attribute(id, dialect_.opens).has_value();
        const auto names = words_of(tree_.attribute_or_empty(id, dialect_.name));
        if (opens) return open(id, names);
        if (names.empty() || open_.empty() || values_left_ == 0) return;
        --values_left_;
        std::string text = value_of(id);
        if (text.empty()) return;
        for (const std::string_view name : names)
            add_field(open_.back().item.fields, local_name(name), json::value(text));
    }

    void open(NodeId id, std::vector<std::string_view> names) {
        if (open_.size() >= PageDataLimits::nesting || opened_ >= PageDataLimits::items) return;
        ++opened_;
        const auto types = words_of(tree_.attribute_or_empty(id, dialect_.type));
        Item item{.source = dialect_.source};
        if (!types.empty()) item.type = local_name(types.front());
        item.where = item.type.empty() ? name_of(dialect_.source) : item.type;
        if (!item.type.empty()) item.fields["@type"] = item.type;
        if (open_.empty()) names.clear();
        open_.push_back({.end = tree_[id].end, .names = std::move(names), .item = std::move(item)});
        follow(tree_.attribute_or_empty(id, Attr::itemref));
    }

    void follow(std::string_view references) {
        if (dialect_.source != Source::microdata || references.empty()) return;
        for (const std::string_view name : words_of(references)) {
            const auto found = by_id_.find(name);
            if (found == by_id_.end() || !followed_.insert(found->second).second) continue;
            walk(found->second, tree_[found->second].end);
        }
    }

    void close() {
        OpenItem closed = std::move(open_.back());
        open_.pop_back();
        const std::size_t own = closed.item.fields.contains("@type") ? 1 : 0;
        if (closed.item.fields.size() <= own) return;
        if (closed.names.empty() || open_.empty()) return done_.push_back(std::move(closed.item));
        for (const std::string_view name : closed.names)
            add_field(open_.back().item.fields, local_name(name), json::value(closed.item.fields));
    }

    std::string value_of(NodeId id) const {
        if (const auto content = tree_.attribute(id, Attr::content)) return line(*content);
        if (dialect_.source == Source::rdfa)
            if (const auto resource = tree_.attribute(id, Attr::resource)) return address(*resource);
        switch (tree_[id].tag) {
            case Tag::meta: return {};
            case Tag::a:
            case Tag::area:
            case Tag::link: return address(tree_.attribute_or_empty(id, Attr::href));
            case Tag::audio:
            case Tag::embed:
            case Tag::iframe:
            case Tag::img:
            case Tag::source:
            case Tag::track:
            case Tag::video: return address(tree_.attribute_or_empty(id, Attr::src));
            case Tag::object: return address(tree_.attribute_or_empty(id, Attr::data));
            case Tag::data:
            case Tag::meter: return line(tree_.attribute_or_empty(id, Attr::value));
            case Tag::time:
                if (const auto moment = tree_.attribute(id, Attr::datetime)) return line(*moment);
                break;
            default: break;
        }
        return extract::text_line(tree_, id, PageDataLimits::value_bytes);
    }

    static std::string line(std::string_view text) {
        return extract::one_line(text, PageDataLimits::value_bytes);
    }

    std::string address(std::string_view reference) const {
        std::string absolute = extract::absolute_url(reference, base_);
        return absolute.empty() ? line(reference) : absolute;
    }

    const Tree& tree_;
    const Dialect& dialect_;
    const url::Url* base_;
    std::vector<OpenItem> open_;
    std::vector<Item> done_;
    std::unordered_map<std::string_view, NodeId> by_id_;
    std::unordered_set<NodeId> followed_;
    std::size_t opened_ = 0;
    std::size_t values_left_ = PageDataLimits::values;
};

}  // namespace

std::vector<Item> read_microdata(const Tree& tree, const url::Url* base) {
    return Reader(tree, microdata, base).read();
}

std::vector<Item> read_rdfa(const Tree& tree, const url::Url* base) {
    return Reader(tree, rdfa, base).read();
}

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

namespace {

namespace json = boost::json;
using extract::markdown::TableRows;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t most_columns = 100;
constexpr std::size_t name_bytes = 200;

using CellRow = std::vector<NodeId>;

std::vector<CellRow> rows_of(const TableRows& table) {
    std::vector<CellRow> rows;
    std::uint32_t from = 0;
    for (const std::uint32_t end : table.ends) {
        CellRow& row = rows.emplace_back();
        for (std::uint32_t i = from; i < end && row.size() < most_columns; ++i)
            row.push_back(table.cells[i].id);
        from = end;
    }
    return rows;
}

// Header columns to header rows, so that only one case is left.
std::vector<CellRow> turned(const std::vector<CellRow>& rows) {
    std::vector<CellRow> columns;
    for (std::size_t y = 0; y < std::min(rows.size(), most_columns); ++y) {
        for (std::size_t x = 0; x < rows[y].size(); ++x) {
            if (columns.size() <= x) columns.emplace_back(std::min(rows.size(), most_columns), html::no_node);
            columns[x][y] = rows[y][x];
        }
    }
    return columns;
}

class TableReader {
public:
    explicit TableReader(const Tree& tree) : tree_(tree), selection_(tree) {}

    std::vector<Item> read() {
        if (tree_.may_have(Tag::table)) {
            const std::vector<bool> is_layout = extract::find_layout_tables(tree_);
            int number = 0;
            for (NodeId id = 0; id < tree_.size(); ++id) {
                if (!tree_.is(id, Tag::table)) continue;
                ++number;
                if (!is_layout[id]) read_table(id, fmt::format("table {}", number));
            }
        }
        int number = 0;
        if (tree_.may_have(Tag::dl))
            for (NodeId id = 0; id < tree_.size(); ++id)
                if (tree_.is(id, Tag::dl)) read_list(id, fmt::format("list {}", ++number));
        return std::move(items_);
    }

private:
    void read_table(NodeId id, const std::string& where) {
        const TableRows table = extract::markdown::read_table(tree_, selection_, id);
        std::vector<CellRow> rows = rows_of(table);
        if (rows.empty()) return;
        const bool has_header_column = std::ranges::all_of(rows, [&](const CellRow& row) {
            return !row.empty() && row[0] != html::no_node && tree_.is(row[0], Tag::th);
        });
        const bool has_header_row = table.first_is_header && rows.size() > 1;
        if (!has_header_row && !has_header_column) return;
        if (!has_header_row) rows = turned(rows);
        for (std::size_t i = 1; i < rows.size(); ++i) add_record(rows[0], rows[i], where);
    }

    void add_record(const CellRow& names, const CellRow& cells, const std::string& where) {
        Item item{.source = Source::table, .where = where};
        for (std::size_t x = 0; x < std::min(names.size(), cells.size()); ++x) {
            if (names[x] == html::no_node || cells[x] == html::no_node || values_left_ == 0) continue;
            --values_left_;
            const std::string name = extract::text_line(tree_, names[x], name_bytes);
            std::string text = extract::text_line(tree_, cells[x], PageDataLimits::value_bytes);
            if (!name.empty() && !text.empty()) add_field(item.fields, name, json::value(std::move(text)));
        }
        keep(std::move(item));
    }

    void read_list(NodeId list, const std::string& where) {
        Item item{.source = Source::table, .where = where};
        std::string name;
        for (NodeId id = list + 1; id < tree_[list].end; id = next(id)) {
            if (tree_.is(id, Tag::dt)) name = extract::text_line(tree_, id, name_bytes);
            if (!tree_.is(id, Tag::dd) || name.empty() || values_left_ == 0) continue;
            --values_left_;
            std::string text = extract::text_line(tree_, id, PageDataLimits::value_bytes);
            while (name.ends_with(':')) name.pop_back();
            if (!text.empty()) add_field(item.fields, name, json::value(std::move(text)));
        }
        keep(std::move(item));
    }

    // Past what a term or its description holds; into a <div> around them.
    NodeId next(NodeId id) const { return tree_.is(id, Tag::div) ? id + 1 : tree_[id].end; }

    void keep(Item item) {
        if (!item.fields.empty() && items_.size() < PageDataLimits::items) items_.push_back(std::move(item));
    }

    const Tree& tree_;
    extract::Selection selection_;
    std::vector<Item> items_;
    std::size_t values_left_ = PageDataLimits::values;
};

}  // namespace

std::vector<Item> read_tables(const Tree& tree) {
    return TableReader(tree).read();
}

}  // namespace quarry::structured
