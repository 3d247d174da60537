#include "extract/metadata/links.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"
#include "extract/one_line.h"

namespace quarry::extract {

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
        if (!same_letters(type, "application/rss+xml") && !same_letters(type, "application/atom+xml"))
            continue;
        std::string url = absolute_url(tree.attribute_or_empty(id, Attr::href), base);
        if (url.empty()) continue;
        feeds.add({.url = std::move(url),
                   .text = one_line(tree.attribute_or_empty(id, Attr::title), max_link_text_bytes)});
    }
    return feeds.take();
}

}  // namespace quarry::extract
