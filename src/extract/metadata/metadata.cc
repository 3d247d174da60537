// The little picture that stands for a site.
#include "extract/metadata/metadata.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "extract/metadata/byline.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/json_ld.h"
#include "extract/metadata/links.h"
#include "extract/metadata/page_facts.h"
#include "extract/one_line.h"
#include "html/characters.h"
#include "text/language.h"
#include "text/link_header.h"
#include "url/url.h"

namespace quarry::extract {

// The address of the best icon the page links: one that scales, else the largest, the earlier one when equal.
// Without any, /favicon.ico of the site, where browsers look; "" without a base.
std::string favicon(const PageFacts& facts, const url::Url* base);

namespace {

using html::Tree;

constexpr std::size_t max_value_bytes = 4'000;

template <typename... Candidates>
std::string first_of(Candidates&&... candidates) {
    std::string chosen;
    const auto consider = [&](std::string_view candidate) {
        if (chosen.empty()) chosen = candidate;
    };
    (consider(candidates), ...);
    return chosen;
}

// A date in ISO 8601, or as the page states it. A time of day without date, or a template that was never
// filled in, is not worth keeping.
std::string date_or_text(std::string_view text) {
    if (auto date = iso_date(text)) return *std::move(date);
    constexpr std::size_t max_date_bytes = 60;
    const bool has_year = std::ranges::count_if(text, html::is_digit) >= 4;
    return has_year && text.find('{') == std::string_view::npos ? one_line(text, max_date_bytes)
                                                                : std::string{};
}

std::string published(const PageFacts& facts, const StructuredFacts& structured, const Tree& tree) {
    std::string_view date =
        facts.meta({"article:published_time", "og:article:published_time", "og:published_time"});
    if (date.empty()) date = structured.published;
    if (date.empty()) {
        date =
            facts.meta({"datepublished", "date", "dc.date.issued", "dcterms.issued", "dc.date",
                        "dc.date.created", "dcterms.created", "dcterms.date", "publishdate", "publish-date",
                        "publish_date", "pubdate", "parsely-pub-date", "sailthru.date", "article.published",
                        "citation_publication_date", "citation_date", "citation_online_date"});
    }
    if (date.empty()) date = date_by_microdata(tree, "datePublished");
    if (std::string text = date_or_text(date); !text.empty()) return text;
    return date_or_text(date_in_body(tree));
}

std::string modified(const PageFacts& facts, const StructuredFacts& structured, const Tree& tree) {
    std::string_view date =
        facts.meta({"article:modified_time", "og:updated_time", "og:article:modified_time"});
    if (date.empty()) date = structured.modified;
    if (date.empty()) {
        date = facts.meta({"datemodified", "last-modified", "lastmod", "dc.date.modified", "dcterms.modified",
                           "article.updated", "revised"});
    }
    if (date.empty()) date = date_by_microdata(tree, "dateModified");
    return date_or_text(date);
}

// Content systems often put the site's own name where the author's belongs: then others are asked first.
std::string author(const PageFacts& facts, const StructuredFacts& structured, const Tree& tree,
                   const std::string& site_name) {
    std::string fallback;
    const auto is_person = [&](const std::string& name) {
        if (name.empty()) return false;
        if (!equals_ignore_case(name, site_name)) return true;
        fallback = name;
        return false;
    };
    for (const std::string_view name : {"author", "article:author", "dc.creator", "dcterms.creator",
                                        "parsely-author", "sailthru.author", "citation_author"}) {
        if (std::string person = author_name(facts.meta({name})); is_person(person)) return person;
    }
    const std::string named = author_name(structured.author);
    if (const std::string& person = named.empty() ? structured.author : named; is_person(person))
        return person;
    if (std::string person = author_in_body(tree); is_person(person)) return person;
    return fallback.empty() ? structured.organisation : fallback;
}

std::string canonical(const PageFacts& facts, const url::Url* base, const std::vector<Header>& headers) {
    for (const LinkTag& link : facts.links) {
        if (!has_word(link.rel, "canonical")) continue;
        if (std::string url = absolute_url(link.href, base); !url.empty()) return url;
    }
    const std::string target = text::link_target(headers, {.relation = "canonical"});
    return target.empty() ? std::string{} : absolute_url(target, base);
}

std::string image(const PageFacts& facts, const StructuredFacts& structured, const url::Url* base) {
    std::string_view source = facts.meta({"og:image:secure_url", "og:image", "og:image:url", "twitter:image",
                                          "twitter:image:src", "thumbnail"});
    if (source.empty()) source = structured.image;
    for (const LinkTag& link : facts.links) {
        if (source.empty() && has_word(link.rel, "image_src")) source = link.href;
    }
    return source.empty() ? std::string{} : absolute_url(source, base);
}

// Some headers and tags name several languages: the first counts.
std::string language_tag(std::string_view list) {
    return text::normalise_language_tag(list.substr(0, list.find_first_of(",;")));
}

std::string language(const PageFacts& facts, const StructuredFacts& structured,
                     const std::vector<Header>& headers) {
    return first_of(
        language_tag(facts.language), language_tag(facts.http_equiv_language),
        language_tag(facts.meta({"content-language", "language", "dc.language", "dcterms.language"})),
        language_tag(facts.meta({"og:locale"})), language_tag(structured.language),
        language_tag(header_value(headers, "content-language")));
}

bool has_prefix(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

void sort_metas(PageFacts& facts, Metadata& metadata) {
    for (auto& [name, value] : facts.metas) {
        const std::string lower = lower_case(name);
        if (lower == "robots" || lower == "quarry") add_robots_meta(value, metadata.robots);
        if (has_prefix(lower, {"og:", "article:", "book:", "profile:", "product:", "music:", "video:"})) {
            metadata.open_graph.emplace_back(lower, std::move(value));
        } else if (has_prefix(lower, {"dc.", "dc:", "dcterms.", "dcterms:"})) {
            metadata.dublin_core.emplace_back(lower, std::move(value));
        } else if (lower != "robots" && lower != "description" && lower != "keywords" && lower != "author") {
            metadata.other.emplace_back(std::move(name), std::move(value));
        }
    }
}

}  // namespace

Metadata read_metadata(const Tree& tree, const url::Url* base, const std::vector<Header>& headers) {
    PageFacts facts = gather_facts(tree);
    JsonLd json_ld = read_json_ld(facts.json_ld);
    const StructuredFacts& structured = json_ld.facts;

    Metadata metadata;
    metadata.title = first_of(facts.title, facts.meta({"og:title", "twitter:title", "dc.title", "title"}),
                              facts.heading, structured.headline);
    metadata.description =
        first_of(facts.meta({"description", "og:description", "twitter:description", "dc.description"}),
                 structured.description);
    metadata.site_name = first_of(facts.meta({"og:site_name", "application-name"}), structured.site_name);
    metadata.language = language(facts, structured, headers);
    metadata.canonical = canonical(facts, base, headers);
    metadata.author = author(facts, structured, tree, metadata.site_name);
    metadata.published = published(facts, structured, tree);
    metadata.modified = modified(facts, structured, tree);
    metadata.favicon = favicon(facts, base);
    metadata.image = image(facts, structured, base);
    metadata.keywords = one_line(facts.meta({"keywords", "news_keywords"}), max_value_bytes);
    metadata.json_ld = std::move(json_ld.texts);
    sort_metas(facts, metadata);
    add_robots_headers(headers, metadata.robots);
    return metadata;
}

namespace {

// Of sizes="16x16 32x32" the largest; "any" is larger than all; 1 if nothing is said.
int pixels(std::string_view sizes) {
    if (has_word(sizes, "any")) return std::numeric_limits<int>::max();
    int largest = 1;
    while (!(sizes = trimmed(sizes)).empty()) {
        const std::size_t end = std::min(sizes.find_first_of(ascii_white_space), sizes.size());
        int width = 0;
        std::from_chars(sizes.data(), sizes.data() + end, width);
        largest = std::max(largest, width);
        sizes.remove_prefix(end);
    }
    return largest;
}

int rank(const LinkTag& link) {
    // An icon for telephones' home screens is large, but has a background and no transparency: a last resort.
    if (!has_word(link.rel, "icon")) return has_word(link.rel, "apple-touch-icon") ? 0 : -1;
    const bool scales =
        equals_ignore_case(trimmed(link.type), "image/svg+xml") || link.href.ends_with(".svg");
    return scales ? std::numeric_limits<int>::max() : pixels(link.sizes);
}

}  // namespace

std::string favicon(const PageFacts& facts, const url::Url* base) {
    std::string best;
    int best_rank = -1;
    for (const LinkTag& link : facts.links) {
        const int own_rank = rank(link);
        if (own_rank <= best_rank) continue;
        std::string url = absolute_url(link.href, base);
        if (url.empty()) continue;  // data: icons, for instance
        best = std::move(url);
        best_rank = own_rank;
    }
    return best.empty() && base != nullptr ? absolute_url("/favicon.ico", base) : best;
}

}  // namespace quarry::extract
