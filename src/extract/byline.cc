#include "extract/byline.h"

#include <algorithm>
#include <array>

#include "extract/ascii.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

using html::Attr;
using html::no_node;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t max_author_bytes = 200;

// Each candidate may cost a walk to the root; a page with more candidates than this is a list of comments.
constexpr int max_candidates = 20;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// Comments and reviews have authors and dates of their own.
bool is_in_comments(const Tree& tree, NodeId id) {
    for (NodeId at = id; at != no_node; at = tree[at].parent) {
        if (!tree.is_element(at)) continue;
        const std::string_view type = tree.attribute_or_empty(at, Attr::itemtype);
        if (contains(type, "Comment") || contains(type, "Review") || contains(type, "Answer")) return true;
        const std::string names = lower_case(tree.attribute_or_empty(at, Attr::class_)) + " " +
                                  lower_case(tree.attribute_or_empty(at, Attr::id));
        const bool is_page = tree.is(at, Tag::body) || tree.is(at, Tag::html);
        if (!is_page &&
            (contains(names, "comment") || contains(names, "related") || contains(names, "sidebar"))) {
            return true;
        }
    }
    return false;
}

bool is_byline_class(std::string_view classes) {
    constexpr std::array names{std::string_view{"byline"},          std::string_view{"author"},
                               std::string_view{"author-name"},     std::string_view{"authors"},
                               std::string_view{"post-author"},     std::string_view{"entry-author"},
                               std::string_view{"article-author"},  std::string_view{"byline-author"},
                               std::string_view{"byline-name"},     std::string_view{"byline__name"},
                               std::string_view{"article__author"}, std::string_view{"author__name"},
                               std::string_view{"p-author"},        std::string_view{"by-author"}};
    if (!contains(classes, "uthor") && !contains(classes, "yline")) return false;
    return std::ranges::any_of(names, [&](std::string_view name) { return has_word(classes, name); });
}

bool names_author(const Tree& tree, NodeId id) {
    if (has_word(tree.attribute_or_empty(id, Attr::itemprop), "author")) return true;
    if (tree.is(id, Tag::a) && has_word(tree.attribute_or_empty(id, Attr::rel), "author")) return true;
    return is_byline_class(tree.attribute_or_empty(id, Attr::class_));
}

// Microdata puts the name into an element of its own, or into a <meta>.
std::string name_below(const Tree& tree, NodeId id) {
    if (const auto content = tree.attribute(id, Attr::content)) return author_name(*content);
    constexpr NodeId nodes_to_look_at = 100;
    const NodeId end = std::min(tree[id].end, id + nodes_to_look_at);
    for (NodeId at = id + 1; at < end; ++at) {
        if (!tree.is_element(at) || !has_word(tree.attribute_or_empty(at, Attr::itemprop), "name")) continue;
        const auto content = tree.attribute(at, Attr::content);
        return author_name(content ? std::string(*content) : text_line(tree, at, max_author_bytes));
    }
    return author_name(text_line(tree, id, max_author_bytes));
}

std::string_view without_preposition(std::string_view text) {
    constexpr std::array prefixes{
        std::string_view{"written by "}, std::string_view{"posted by "}, std::string_view{"published by "},
        std::string_view{"words by "},   std::string_view{"story by "},  std::string_view{"by: "},
        std::string_view{"by "},         std::string_view{"author: "},   std::string_view{"authors: "},
        std::string_view{"author "},     std::string_view{"von "},       std::string_view{"par "},
        std::string_view{"por "},        std::string_view{"door "},
    };
    for (const std::string_view prefix : prefixes) {
        if (text.size() > prefix.size() && same_letters(text.substr(0, prefix.size()), prefix)) {
            return trimmed(text.substr(prefix.size()));
        }
    }
    return text;
}

// Up to what no name holds: a number, a bar, a bullet, a bracket.
std::string_view up_to_separator(std::string_view text) {
    std::size_t end = std::min(text.find_first_of("0123456789|/()<>[]{}"), text.size());
    for (const std::string_view mark : {"•", "·", "—", " – ", " - ", " on ", " @"}) {
        end = std::min(end, text.find(mark));
    }
    text = trimmed(text.substr(0, end));
    while (!text.empty() && (text.back() == ',' || text.back() == ':' || text.back() == ';')) {
        text = trimmed(text.substr(0, text.size() - 1));
    }
    return text;
}

bool is_url(std::string_view text) {
    return contains(text, "://") || text.starts_with("www.") || text.starts_with('@');
}

// A <time> that is marked as the page's date by its attributes or by the class of itself or its parent.
bool is_marked_published(const Tree& tree, NodeId id) {
    const auto pubdate = tree.find_attribute_name("pubdate");
    if (pubdate && tree.attribute(id, *pubdate)) return true;
    const NodeId parent = tree[id].parent;
    for (const NodeId at : {id, parent}) {
        if (at == no_node || !tree.is_element(at)) continue;
        const std::string classes = lower_case(tree.attribute_or_empty(at, Attr::class_));
        if (contains(classes, "publish") || contains(classes, "entry-date") ||
            contains(classes, "post-date")) {
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
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.is(id, Tag::h1)) return id;
    }
    return no_node;
}

}  // namespace

std::string author_name(std::string_view text) {
    const std::string line = one_line(text, max_author_bytes);
    if (is_url(line)) return {};
    const std::string_view name = up_to_separator(without_preposition(line));
    const auto blanks = std::ranges::count(name, ' ');
    constexpr int most_blanks = 11;  // four people with three names each
    const bool has_letter = std::ranges::any_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    });
    return has_letter && blanks <= most_blanks && name.size() > 1 ? std::string(name) : std::string{};
}

std::string author_in_body(const Tree& tree) {
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_candidates; ++id) {
        if (!tree.is_element(id) || tree[id].attribute_count == 0 || !names_author(tree, id)) continue;
        ++candidates;
        std::string name = name_below(tree, id);
        if (!name.empty() && !is_in_comments(tree, id)) return name;
    }
    return {};
}

std::string_view date_by_itemprop(const Tree& tree, std::string_view property) {
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_candidates; ++id) {
        if (!tree.is_element(id) || tree[id].attribute_count == 0) continue;
        if (!has_word(tree.attribute_or_empty(id, Attr::itemprop), property)) continue;
        ++candidates;
        std::string_view value = tree.attribute_or_empty(id, Attr::content);
        if (value.empty()) value = tree.attribute_or_empty(id, Attr::datetime);
        const NodeId child = tree.first_child(id);
        if (value.empty() && child != no_node && tree.is_text(child)) value = trimmed(tree[child].text);
        if (!value.empty() && !is_in_comments(tree, id)) return value;
    }
    return {};
}

std::string_view date_by_time_element(const Tree& tree) {
    const NodeId heading = first_heading(tree);
    const NodeId section = heading == no_node ? no_node : section_of(tree, heading);
    int candidates = 0;
    for (NodeId id = 0; id < tree.size() && candidates < max_candidates; ++id) {
        if (!tree.is(id, Tag::time)) continue;
        const std::string_view value = tree.attribute_or_empty(id, Attr::datetime);
        if (value.empty()) continue;
        ++candidates;
        const bool is_beside_heading = section != no_node && section_of(tree, id) == section;
        if ((is_marked_published(tree, id) || is_beside_heading) && !is_in_comments(tree, id)) return value;
    }
    return {};
}

}  // namespace quarry::extract
