#include "extract/structured/table_records.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "extract/content/layout_table.h"
#include "extract/markdown/tables.h"
#include "extract/one_line.h"
#include "extract/structured/item_fields.h"

namespace quarry::structured {

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
