#include "extract/metadata/byline.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "extract/metadata/dates.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_author_bytes = 200;

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (text.size() <= prefix.size() || !equals_ignore_case(text.substr(0, prefix.size()), prefix))
        return false;
    text = trimmed(text.substr(prefix.size()));
    return true;
}

std::string_view without_preposition(std::string_view text, NameSource source) {
    static constexpr std::array in_bylines{
        std::string_view{"written by "}, std::string_view{"posted by "}, std::string_view{"post by "},
        std::string_view{"words by "},   std::string_view{"story by "},  std::string_view{"published by "},
        std::string_view{"author: "},    std::string_view{"authors: "},  std::string_view{"author "},
        std::string_view{"von "},        std::string_view{"par "},       std::string_view{"por "},
        std::string_view{"door "},       std::string_view{"text: "},     std::string_view{"текст: "},
    };
    if (take_prefix(text, "by: ") || take_prefix(text, "by ")) return text;
    if (source == NameSource::value) return text;
    for (const std::string_view prefix : in_bylines) {
        if (take_prefix(text, prefix)) break;
    }
    return text;
}

bool is_weekday(std::string_view word) {
    static constexpr std::array days{
        std::string_view{"mon"}, std::string_view{"tue"}, std::string_view{"wed"}, std::string_view{"thu"},
        std::string_view{"fri"}, std::string_view{"sat"}, std::string_view{"sun"}};
    return word == "monday" || word == "tuesday" || word == "wednesday" || word == "thursday" ||
           word == "friday" || word == "saturday" || word == "sunday" ||
           std::ranges::find(days, word) != days.end();
}

std::string_view without_punctuation_at_end(std::string_view text) {
    while (!text.empty() && std::string_view(" ,:;.-").find(text.back()) != std::string_view::npos) {
        // "Jr." and "F." are parts of names.
        if (text.back() == '.' && text.size() >= 2 && text[text.size() - 2] != ' ') break;
        text.remove_suffix(1);
    }
    return text;
}

// A number cut off at the end was often that of a date: its month and weekday go too.
std::string_view without_date_words(std::string_view text) {
    while (true) {
        text = without_punctuation_at_end(text);
        const std::size_t start = text.rfind(' ');
        if (start == std::string_view::npos) return text;
        std::string word = lower_case(text.substr(start + 1));
        if (word.ends_with('.')) word.pop_back();
        if (!month_number(word) && !is_weekday(word) && word != "on") return text;
        text = text.substr(0, start);
    }
}

// Where a word of digits begins. Digits inside a word belong to the names people give themselves: "paulb203".
std::size_t number_in(std::string_view text) {
    for (std::size_t at = text.find_first_of("0123456789"); at != std::string_view::npos;
         at = text.find_first_of("0123456789", at + 1)) {
        if (at == 0 || text[at - 1] == ' ' || text[at - 1] == ',') return at;
    }
    return text.size();
}

// Up to what no name holds: a number, a bar, a bullet, a bracket.
std::string_view up_to_separator(std::string_view text) {
    const std::size_t number = number_in(text);
    std::size_t end = std::min(text.find_first_of("|/()<>[]{}"), number);
    for (const std::string_view mark : {"•", "·", "—", "»", " – ", " - ", " on ", " @", " Updated:"}) {
        end = std::min(end, text.find(mark));
    }
    text = text.substr(0, end);
    return end == number ? without_date_words(text) : without_punctuation_at_end(text);
}

// Not a URL, a handle or a mail address.
bool may_be_name(std::string_view text) {
    const bool is_url = text.find("://") != std::string_view::npos || text.starts_with("www.");
    const std::size_t at_sign = text.find('@');
    const bool is_address = at_sign != std::string_view::npos && (at_sign == 0 || text[at_sign - 1] != ' ');
    return !is_url && !is_address;
}

bool has_letter(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    });
}

}  // namespace

std::string author_name(std::string_view text, NameSource source) {
    const std::string line = one_line(text, max_author_bytes);
    if (!may_be_name(line)) return {};
    const std::string_view name = up_to_separator(without_preposition(line, source));
    constexpr int most_blanks = 11;  // four people with three names each
    const bool is_short_enough = std::ranges::count(name, ' ') <= most_blanks;
    return name.size() > 1 && is_short_enough && has_letter(name) ? std::string(name) : std::string{};
}

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

// The date half of byline.h.

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
