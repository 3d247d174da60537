// The date half of byline.h.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "extract/metadata/byline.h"
#include "extract/metadata/dates.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::no_node;
using html::NodeId;
using html::Tag;
using html::Tree;

// Each candidate may cost a walk to the root.
constexpr int max_candidates = 20;

// So many nodes before and after the heading are looked at for a line with a date.
constexpr NodeId nodes_near_heading = 150;

bool speaks_of(std::string_view classes, std::initializer_list<std::string_view> cues) {
    if (classes.empty()) return false;
    const std::string lower = lower_case(classes);
    return std::ranges::any_of(cues,
                               [&](std::string_view cue) { return lower.find(cue) != std::string::npos; });
}

// A <time> that is marked as the page's date by its attributes or by the class of itself or its parent.
bool is_marked_published(const Tree& tree, NodeId id) {
    const auto pubdate = tree.find_attribute_name("pubdate");
    if (pubdate && tree.attribute(id, *pubdate)) return true;
    for (const NodeId at : {id, tree[id].parent}) {
        if (at == no_node || !tree.is_element(at)) continue;
        if (speaks_of(tree.attribute_or_empty(at, Attr::class_),
                      {"publish", "entry-date", "post-date", "pub-date"})) {
            return true;
        }
    }
    return false;
}

// The nearest <article> or <main> around a node, or no_node.
NodeId section_of(const Tree& tree, NodeId id) {
    NodeId at = id;
    while (at != no_node && !tree.is(at, Tag::article) && !tree.is(at, Tag::main)) at = tree[at].parent;
    return at;
}

NodeId first_heading(const Tree& tree) {
    if (!tree.may_have(Tag::h1)) return no_node;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.is(id, Tag::h1)) return id;
    }
    return no_node;
}

std::string_view date_by_time_element(const Tree& tree, NodeId heading) {
    const NodeId section = heading == no_node ? no_node : section_of(tree, heading);
    if (!tree.may_have(Tag::time)) return {};
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_candidates; ++id) {
        if (!tree.is(id, Tag::time)) continue;
        const std::string_view value = tree.attribute_or_empty(id, Attr::datetime);
        if (value.empty()) continue;
        ++candidates;
        const bool is_beside_heading = section != no_node && section_of(tree, id) == section;
        if ((is_marked_published(tree, id) || is_beside_heading) && !is_aside(tree, id)) return value;
    }
    return {};
}

bool is_in_footer_or_menu(const Tree& tree, NodeId id) {
    for (NodeId at = id; at != no_node; at = tree[at].parent) {
        if (tree.is(at, Tag::nav) || tree.is(at, Tag::footer) || tree.is(at, Tag::aside)) return true;
    }
    return false;
}

// "Published on Nov 20, 2019" in an element of class "post-date", say. Longer texts are prose that has a date
// in it.
std::string date_near_heading(const Tree& tree, NodeId heading) {
    constexpr std::size_t longest = 60;
    const NodeId start = heading > nodes_near_heading ? heading - nodes_near_heading : 0;
    const NodeId end = std::min(tree.size(), tree[heading].end + nodes_near_heading);
    int candidates = 0;
    for (NodeId id = start; id < end && candidates < max_candidates; ++id) {
        if (!tree.is_element(id)) continue;
        const std::string_view classes = tree.attribute_or_empty(id, Attr::class_);
        if (!tree.is(id, Tag::time) && !speaks_of(classes, {"date", "publish", "posted", "timestamp"}))
            continue;
        ++candidates;
        const std::string text = text_line(tree, id, longest + 1);
        if (text.size() > longest || is_aside(tree, id) || is_in_footer_or_menu(tree, id)) continue;
        const auto date = iso_date(text);
        constexpr std::size_t whole_date = std::string_view("2024-03-05").size();
        if (date && date->size() >= whole_date) return *date;
    }
    return {};
}

}  // namespace

std::string_view date_by_microdata(const Tree& tree, std::string_view property) {
    if (!tree.may_have(Attr::itemprop)) return {};
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_candidates; ++id) {
        if (!tree.is_element(id) || tree[id].attribute_count == 0) continue;
        if (!has_word(tree.attribute_or_empty(id, Attr::itemprop), property)) continue;
        ++candidates;
        std::string_view value = tree.attribute_or_empty(id, Attr::content);
        if (value.empty()) value = tree.attribute_or_empty(id, Attr::datetime);
        const NodeId child = tree.first_child(id);
        if (value.empty() && child != no_node && tree.is_text(child)) value = trimmed(tree[child].text);
        if (!value.empty() && !is_aside(tree, id)) return value;
    }
    return {};
}

std::string date_in_body(const Tree& tree) {
    const NodeId heading = first_heading(tree);
    if (const std::string_view date = date_by_time_element(tree, heading); !date.empty())
        return std::string(date);
    return heading == no_node ? std::string{} : date_near_heading(tree, heading);
}

}  // namespace quarry::extract
