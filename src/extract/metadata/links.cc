#include "extract/metadata/links.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/ascii.h"
#include "extract/one_line.h"
#include "url/url.h"

namespace quarry::extract {

namespace {

// No server takes URLs of this length; parsing one costs more than it is worth.
constexpr std::size_t max_url_bytes = 16 * 1024;

std::optional<std::string_view> first_base_href(const html::Tree& tree) {
    if (!tree.may_have(html::Tag::base)) return std::nullopt;
    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, html::Tag::base)) continue;
        if (const auto href = tree.attribute(id, html::Attr::href)) return href;
    }
    return std::nullopt;
}

std::optional<url::Url> parse_http(std::string_view text, const url::Url* base) {
    if (text.size() > max_url_bytes) return std::nullopt;
    auto url = url::Url::parse(text, base);
    if (!url || !url->is_http()) return std::nullopt;
    return *std::move(url);
}

}  // namespace

std::optional<url::Url> base_url(const html::Tree& tree, std::string_view page_url) {
    auto page = url::Url::parse(page_url);
    const url::Url* own = page ? &*page : nullptr;
    if (const auto href = first_base_href(tree)) {
        if (auto base = parse_http(*href, own)) return base;
    }
    if (own == nullptr) return std::nullopt;
    return *std::move(page);
}

std::string absolute_url(std::string_view reference, const url::Url* base) {
    std::string href;
    if (base != nullptr && url::resolve_plain(reference, *base, href)) return href;
    const auto url = parse_http(reference, base);
    return url ? url->href() : std::string{};
}

namespace {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr std::size_t max_links = 50'000;
constexpr std::size_t max_link_text_bytes = 300;

// Keeps the order of first appearance and one entry per URL.
class LinkList {
public:
    bool is_full() const { return links_.size() >= max_links; }

    void add(Link link) {
        if (2 * links_.size() >= slots_.size()) grow();
        std::uint32_t& slot = slot_of(link.url);
        if (slot == free_slot) {
            slot = static_cast<std::uint32_t>(links_.size());
            links_.push_back(std::move(link));
            return;
        }
        Link& known = links_[slot];
        if (known.text.empty()) known.text = std::move(link.text);
        known.nofollow = known.nofollow && link.nofollow;
    }

    std::vector<Link> take() { return std::move(links_); }

private:
    static constexpr std::uint32_t free_slot = UINT32_MAX;

    // Where the link of that URL is noted, or could be. A table of places in the list, so that no URL is
    // stored twice.
    std::uint32_t& slot_of(std::string_view url) {
        std::size_t at = std::hash<std::string_view>{}(url) & (slots_.size() - 1);
        while (slots_[at] != free_slot && links_[slots_[at]].url != url) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }

    void grow() {
        constexpr std::size_t fewest_slots = 64;
        slots_.assign(std::max(2 * slots_.size(), fewest_slots), free_slot);
        for (std::size_t at = 0; at < links_.size(); ++at) {
            slot_of(links_[at].url) = static_cast<std::uint32_t>(at);
        }
    }

    std::vector<Link> links_;
    std::vector<std::uint32_t> slots_;
};

std::string image_text(const Tree& tree, NodeId link) {
    constexpr NodeId nodes_to_look_at = 50;
    const NodeId end = std::min(tree[link].end, link + nodes_to_look_at);
    for (NodeId id = link + 1; id < end; ++id) {
        if (!tree.is(id, Tag::img)) continue;
        std::string alt = one_line(tree.attribute_or_empty(id, Attr::alt), max_link_text_bytes);
        if (!alt.empty()) return alt;
    }
    return {};
}

// The words of the link; for a picture or an icon what stands for words.
std::string link_text(const Tree& tree, NodeId id) {
    std::string text = text_line(tree, id, max_link_text_bytes);
    if (text.empty()) text = image_text(tree, id);
    for (const Attr name : {Attr::aria_label, Attr::title, Attr::alt}) {
        if (text.empty()) text = one_line(tree.attribute_or_empty(id, name), max_link_text_bytes);
    }
    return text;
}

// True if the link only scrolls. Fragments that look like paths are pages of a program that runs in the
// browser. "#top" on a page with a <base> leads elsewhere by the letter, but never by intention.
bool stays_on_page(std::string_view reference, std::string_view url, std::string_view page) {
    const std::size_t hash = url.find('#');
    if (hash == std::string_view::npos) return false;
    const std::string_view fragment = url.substr(hash + 1);
    if (fragment.starts_with('/') || fragment.starts_with('!')) return false;
    return reference.starts_with('#') || url.substr(0, hash) == page;
}

}  // namespace

std::vector<Link> find_links(const Tree& tree, const url::Url* base) {
    LinkList links;
    const std::string page = base == nullptr ? std::string{} : base->without_fragment();
    for (NodeId id = 0; id < tree.size() && !links.is_full(); ++id) {
        if (!tree.is(id, Tag::a) && !tree.is(id, Tag::area)) continue;
        const auto href = tree.attribute(id, Attr::href);
        if (!href) continue;
        std::string url = absolute_url(*href, base);
        if (url.empty() || stays_on_page(trimmed(*href), url, page)) continue;
        const bool nofollow = has_word(tree.attribute_or_empty(id, Attr::rel), "nofollow");
        links.add({.url = std::move(url), .text = link_text(tree, id), .nofollow = nofollow});
    }
    return links.take();
}

std::vector<Link> find_frames(const Tree& tree, const url::Url* base) {
    LinkList frames;
    if (!tree.may_have(Tag::frame) && !tree.may_have(Tag::iframe)) return {};
    for (NodeId id = 0; id < tree.size() && !frames.is_full(); ++id) {
        if (!tree.is(id, Tag::frame) && !tree.is(id, Tag::iframe)) continue;
        std::string_view source = tree.attribute_or_empty(id, Attr::src);
        if (source.empty()) source = tree.attribute_or_empty(id, Attr::data_src);
        std::string url = source.empty() ? std::string{} : absolute_url(source, base);
        if (url.empty()) continue;
        const std::string_view title = tree.attribute_or_empty(id, Attr::title);
        frames.add({.url = std::move(url), .text = one_line(title, max_link_text_bytes)});
    }
    return frames.take();
}

std::vector<Link> find_feeds(const Tree& tree, const url::Url* base) {
    LinkList feeds;
    if (!tree.may_have(Tag::link)) return {};
    for (NodeId id = 0; id < tree.size() && !feeds.is_full(); ++id) {
        if (!tree.is(id, Tag::link) || !has_word(tree.attribute_or_empty(id, Attr::rel), "alternate"))
            continue;
        const std::string_view type = trimmed(tree.attribute_or_empty(id, Attr::type));
        if (!equals_ignore_case(type, "application/rss+xml") &&
            !equals_ignore_case(type, "application/atom+xml"))
            continue;
        std::string url = absolute_url(tree.attribute_or_empty(id, Attr::href), base);
        if (url.empty()) continue;
        feeds.add({.url = std::move(url),
                   .text = one_line(tree.attribute_or_empty(id, Attr::title), max_link_text_bytes)});
    }
    return feeds.take();
}

namespace {

constexpr std::size_t max_found = 50'000;
constexpr std::size_t max_text_bytes = 300;
constexpr std::size_t max_inline_url_bytes = 4'096;

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

bool is_fence(std::string_view line) {
    line = trimmed(line);
    return line.starts_with("```") || line.starts_with("~~~");
}

// Reads one line from left to right; each character is looked at once or twice.
class LineScanner {
public:
    LineScanner(InlineLinks& found, std::unordered_set<std::string>& known, const url::Url* base)
        : found_(found), known_(known), base_(base) {}

    void scan(std::string_view line) {
        text_start_ = std::string_view::npos;
        for (std::size_t at = 0; at < line.size();) at += step(line, at);
    }

private:
    // Handles what starts at `at`; returns how far to go on.
    std::size_t step(std::string_view line, std::size_t at) {
        const std::string_view rest = line.substr(at);
        switch (rest[0]) {
            case '\\': return 2;
            case '`': return skip_code(rest);
            case '[':
                text_start_ = at + 1;
                is_image_ = at > 0 && line[at - 1] == '!';
                return 1;
            case ']': return close_text(line, at);
            case '<':
            case 'h': return bare_url(rest);
            default: return 1;
        }
    }

    static std::size_t skip_code(std::string_view rest) {
        const std::size_t run = std::min(rest.find_first_not_of('`'), rest.size());
        const std::size_t close = rest.find(rest.substr(0, run), run);
        return close == std::string_view::npos ? run : close + run;
    }

    std::size_t close_text(std::string_view line, std::size_t at) {
        if (text_start_ == std::string_view::npos) return 1;
        const std::string_view text = line.substr(text_start_, at - text_start_);
        text_start_ = std::string_view::npos;
        std::string_view rest = line.substr(at + 1);
        const bool is_definition = rest.starts_with(": ");
        if (!rest.starts_with('(') && !is_definition) return 1;
        rest = trimmed(rest.substr(1));
        const bool in_angles = rest.starts_with('<');
        if (in_angles) rest.remove_prefix(1);
        const std::size_t end = in_angles ? rest.find('>') : destination_end(rest, is_definition);
        if (end == std::string_view::npos || end > max_inline_url_bytes) return 1;
        add(rest.substr(0, end), text, is_image_);
        return static_cast<std::size_t>(rest.data() + end - (line.data() + at));
    }

    // A destination ends at a blank or at the bracket that its own opening ones do not match.
    static std::size_t destination_end(std::string_view rest, bool is_definition) {
        int depth = 0;
        for (std::size_t i = 0; i < rest.size() && i <= max_inline_url_bytes; ++i) {
            if (rest[i] == ' ' || rest[i] == '\t') return i;
            if (rest[i] == '(') ++depth;
            if (rest[i] == ')' && depth-- == 0) return is_definition ? std::string_view::npos : i;
        }
        return is_definition ? std::min(rest.size(), max_inline_url_bytes) : std::string_view::npos;
    }

    std::size_t bare_url(std::string_view rest) {
        const bool in_angles = rest[0] == '<';
        std::string_view url = in_angles ? rest.substr(1) : rest;
        if (!url.starts_with("http://") && !url.starts_with("https://")) return 1;
        url = url.substr(0, url.find_first_of(" \t<>\"`|[]{}\\"));
        while (!url.empty() && std::string_view(".,;:!?'*_)").find(url.back()) != std::string_view::npos) {
            if (url.back() == ')' && url.find('(') != std::string_view::npos) break;
            url.remove_suffix(1);
        }
        add(url, {}, false);
        return std::max<std::size_t>(url.size(), 1) + (in_angles ? 1 : 0);
    }

    void add(std::string_view reference, std::string_view text, bool is_image) {
        if (reference.empty() || reference[0] == '#' || known_.size() >= max_found) return;
        std::string url = absolute_url(reference, base_);
        if (url.empty() || !known_.insert(url).second) return;
        if (is_image) {
            found_.images.push_back({.url = std::move(url), .alt = one_line(text, max_text_bytes)});
        } else {
            found_.links.push_back({.url = std::move(url), .text = one_line(text, max_text_bytes)});
        }
    }

    InlineLinks& found_;
    std::unordered_set<std::string>& known_;
    const url::Url* base_;
    std::size_t text_start_ = std::string_view::npos;
    bool is_image_ = false;
};

}  // namespace

InlineLinks find_inline_links(std::string_view markdown, const url::Url* base) {
    InlineLinks found;
    std::unordered_set<std::string> known;
    LineScanner scanner(found, known, base);
    bool in_code = false;
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        if (is_fence(line)) {
            in_code = !in_code;
        } else if (!in_code) {
            scanner.scan(line);
        }
    }
    return found;
}

}  // namespace quarry::extract
