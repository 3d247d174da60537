// Every selector is evaluated once, for all of the page; what is inside an element is then a range of its
// matches, found by bisection, since matches are in document order.
#include <algorithm>
#include <map>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/html_writer.h"
#include "extract/one_line.h"
#include "extract/structured/rules.h"

namespace quarry::structured {

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
