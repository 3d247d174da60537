// One preorder walk with a stack of open items. A field's element that opens an item becomes a nested item,
// and is handed to its owner when it closes.
#include "extract/structured/items.h"

#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"
#include "extract/one_line.h"
#include "extract/structured/item_fields.h"

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

}  // namespace quarry::structured
