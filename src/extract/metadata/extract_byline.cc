#include "extract/metadata/byline.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "extract/metadata/author_name.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::no_node;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t max_byline_bytes = 200;

// Each candidate may cost a walk to the root; a page with more candidates than this is a list of comments.
constexpr int max_bylines = 20;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool is_byline_class(std::string_view classes) {
    static constexpr std::array names{std::string_view{"byline"},         std::string_view{"author"},
                                      std::string_view{"author-name"},    std::string_view{"authors"},
                                      std::string_view{"post-author"},    std::string_view{"entry-author"},
                                      std::string_view{"article-author"}, std::string_view{"byline-author"},
                                      std::string_view{"byline-name"},    std::string_view{"byline__name"},
                                      std::string_view{"p-author"},       std::string_view{"article__author"},
                                      std::string_view{"author__name"},   std::string_view{"by-author"}};
    constexpr std::size_t shortest = 6;
    if (classes.size() < shortest || (!contains(classes, "uthor") && !contains(classes, "yline")))
        return false;
    return std::ranges::any_of(names, [&](std::string_view name) { return has_word(classes, name); });
}

bool names_author(const Tree& tree, NodeId id) {
    for (const html::Attribute& attribute : tree.attributes(id)) {
        switch (attribute.name) {
            case Attr::itemprop:
                if (has_word(attribute.value, "author")) return true;
                break;
            case Attr::rel:
                if (tree.is(id, Tag::a) && has_word(attribute.value, "author")) return true;
                break;
            case Attr::class_:
                if (is_byline_class(attribute.value)) return true;
                break;
            default: break;
        }
    }
    return false;
}

// Microdata puts the name into an element of its own, or into a <meta>.
std::string name_below(const Tree& tree, NodeId id) {
    if (const auto content = tree.attribute(id, Attr::content)) return author_name(*content);
    constexpr NodeId nodes_to_look_at = 100;
    const NodeId end = std::min(tree[id].end, id + nodes_to_look_at);
    for (NodeId at = id + 1; at < end; ++at) {
        if (!tree.is_element(at) || !has_word(tree.attribute_or_empty(at, Attr::itemprop), "name")) continue;
        const auto content = tree.attribute(at, Attr::content);
        return author_name(content ? std::string(*content) : text_line(tree, at, max_byline_bytes));
    }
    return author_name(text_line(tree, id, max_byline_bytes), NameSource::byline);
}

}  // namespace

bool is_aside(const Tree& tree, NodeId id) {
    for (NodeId at = id; at != no_node; at = tree[at].parent) {
        if (!tree.is_element(at) || tree.is(at, Tag::body) || tree.is(at, Tag::html)) continue;
        const std::string_view type = tree.attribute_or_empty(at, Attr::itemtype);
        if (contains(type, "Comment") || contains(type, "Review") || contains(type, "Answer")) return true;
        const std::string names = lower_case(tree.attribute_or_empty(at, Attr::class_)) + " " +
                                  lower_case(tree.attribute_or_empty(at, Attr::id));
        for (const std::string_view cue : {"comment", "related", "sidebar"}) {
            if (contains(names, cue)) return true;
        }
    }
    return false;
}

std::string author_in_body(const Tree& tree) {
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_bylines; ++id) {
        if (!tree.is_element(id) || tree[id].attribute_count == 0 || !names_author(tree, id)) continue;
        ++candidates;
        std::string name = name_below(tree, id);
        if (!name.empty() && !is_aside(tree, id)) return name;
    }
    return {};
}

}  // namespace quarry::extract
