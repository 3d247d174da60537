#include "extract/metadata/page_facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

// Longer than any honest list; the rest of a longer one is not read.
constexpr std::size_t max_directives_bytes = 4'096;

void add_directive(std::string_view name, RobotsDirectives& directives) {
    if (name == "noindex" || name == "none") directives.noindex = true;
    if (name == "nofollow" || name == "none") directives.nofollow = true;
    if (name == "noarchive" || name == "nocache") directives.noarchive = true;
    if (name == "nosnippet") directives.nosnippet = true;
}

// Directives that have a value after a colon, where an agent's name would have directives.
bool takes_value(std::string_view name) {
    static constexpr std::array names{std::string_view{"unavailable_after"}, std::string_view{"max-snippet"},
                                      std::string_view{"max-image-preview"},
                                      std::string_view{"max-video-preview"}};
    return std::ranges::find(names, name) != names.end();
}

// Calls `visit` with each part between commas, trimmed.
template <typename Visit>
void for_each_part(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        visit(trimmed(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

// People separate directives with blanks too.
void add_directives(std::string_view part, RobotsDirectives& directives) {
    while (!part.empty()) {
        const std::size_t blank = std::min(part.find(' '), part.size());
        add_directive(part.substr(0, blank), directives);
        part.remove_prefix(std::min(blank + 1, part.size()));
    }
}

void add_robots_header(std::string_view value, RobotsDirectives& directives) {
    bool is_for_us = true;
    const std::string lower = lower_case(value.substr(0, max_directives_bytes));
    for_each_part(lower, [&](std::string_view part) {
        if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
            const std::string_view name = trimmed(part.substr(0, colon));
            if (takes_value(name)) return;
            is_for_us = name == "*" || name == "robots" || name == "quarry";
            part = trimmed(part.substr(colon + 1));
        }
        if (is_for_us) add_directives(part, directives);
    });
}

}  // namespace

void add_robots_meta(std::string_view content, RobotsDirectives& directives) {
    const std::string lower = lower_case(content.substr(0, max_directives_bytes));
    for_each_part(lower, [&](std::string_view part) { add_directives(part, directives); });
}

void add_robots_headers(const std::vector<Header>& headers, RobotsDirectives& directives) {
    for (const Header& header : headers) {
        if (lower_case(header.name) == "x-robots-tag") add_robots_header(header.value, directives);
    }
}

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t max_title_bytes = 1'000;
constexpr std::size_t max_name_bytes = 100;
constexpr std::size_t max_meta_bytes = 4'000;
constexpr std::size_t max_metas = 300;
constexpr std::size_t max_link_tags = 100;
constexpr std::size_t max_scripts = 50;

void add_meta(PageFacts& facts, std::string_view name, const std::string& value) {
    name = trimmed(name);
    if (name.empty() || name.size() > max_name_bytes || facts.metas.size() >= max_metas) return;
    facts.metas.emplace_back(name, value);
}

void read_meta(const Tree& tree, NodeId id, PageFacts& facts) {
    const auto content = tree.attribute(id, Attr::content);
    if (!content) return;
    const std::string value = one_line(*content, max_meta_bytes);
    if (value.empty()) return;
    const std::string_view name = tree.attribute_or_empty(id, Attr::name);
    const std::string_view property = tree.attribute_or_empty(id, Attr::property);
    add_meta(facts, name, value);
    // One tag may serve two readers: name="description" property="og:description".
    if (!equals_ignore_case(name, property)) add_meta(facts, property, value);
    if (facts.http_equiv_language.empty() &&
        equals_ignore_case(tree.attribute_or_empty(id, Attr::http_equiv), "content-language")) {
        facts.http_equiv_language = value;
    }
}

void read_link(const Tree& tree, NodeId id, PageFacts& facts) {
    const LinkTag link{.rel = tree.attribute_or_empty(id, Attr::rel),
                       .href = trimmed(tree.attribute_or_empty(id, Attr::href)),
                       .sizes = tree.attribute_or_empty(id, Attr::sizes),
                       .type = tree.attribute_or_empty(id, Attr::type)};
    const bool is_wanted = has_word(link.rel, "canonical") || has_word(link.rel, "icon") ||
                           has_word(link.rel, "apple-touch-icon") || has_word(link.rel, "image_src");
    if (is_wanted && !link.href.empty() && facts.links.size() < max_link_tags) facts.links.push_back(link);
}

void read_script(const Tree& tree, NodeId id, PageFacts& facts) {
    constexpr std::string_view json_ld_type = "application/ld+json";
    const std::string_view type = trimmed(tree.attribute_or_empty(id, Attr::type));
    if (!equals_ignore_case(type.substr(0, json_ld_type.size()), json_ld_type)) return;
    const NodeId child = tree.first_child(id);
    if (child != html::no_node && tree.is_text(child) && facts.json_ld.size() < max_scripts) {
        facts.json_ld.push_back(tree[child].text);
    }
}

void read_element(const Tree& tree, NodeId id, PageFacts& facts) {
    switch (tree[id].tag) {
        case Tag::meta: read_meta(tree, id, facts); break;
        case Tag::link: read_link(tree, id, facts); break;
        case Tag::script: read_script(tree, id, facts); break;
        case Tag::title:
            if (facts.title.empty()) facts.title = text_line(tree, id, max_title_bytes);
            break;
        case Tag::h1:
            if (facts.heading.empty()) facts.heading = text_line(tree, id, max_title_bytes);
            break;
        default: break;
    }
}

}  // namespace

std::string_view PageFacts::meta(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        for (const auto& [key, value] : metas) {
            if (equals_ignore_case(key, name)) return value;
        }
    }
    return {};
}

PageFacts gather_facts(const Tree& tree) {
    PageFacts facts;
    for (NodeId id = 0; id < tree.size(); ++id) {
        const html::Node& node = tree[id];
        if (node.kind == html::NodeKind::element && node.space == html::Namespace::html) {
            read_element(tree, id, facts);
        }
    }
    if (tree.html() != html::no_node) {
        facts.language = tree.attribute_or_empty(tree.html(), Attr::lang);
        if (facts.language.empty()) facts.language = tree.attribute_or_empty(tree.html(), Attr::xml_lang);
    }
    return facts;
}

}  // namespace quarry::extract
