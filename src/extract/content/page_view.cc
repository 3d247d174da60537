#include "extract/content/page_view.h"

#include <algorithm>
#include <utility>

#include "extract/content/vocabulary.h"

namespace quarry::extract {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr std::pair<std::string_view, Kind> kind_endings[] = {
    {"Article", Kind::article},
    {"BlogPosting", Kind::article},
    {"Report", Kind::article},
    {"Recipe", Kind::article},
    {"Product", Kind::product},
    {"ProductGroup", Kind::product},
    {"Offer", Kind::product},
    {"DiscussionForumPosting", Kind::discussion},
    {"QAPage", Kind::discussion},
    {"Comment", Kind::discussion},
    {"Answer", Kind::questions},
    {"FAQPage", Kind::questions},
    {"Question", Kind::questions},
    {"ItemList", Kind::listing},
    {"CollectionPage", Kind::listing},
    {"SearchResultsPage", Kind::listing},
    {"LocalBusiness", Kind::organisation},
    {"Service", Kind::organisation},
    {"ProfessionalService", Kind::organisation},
};

// A type's last word decides: NewsArticle and TechArticle are articles.
std::uint32_t kind_bits(std::string_view type) {
    for (const auto& [ending, kind] : kind_endings) {
        if (type.ends_with(ending)) return 1U << static_cast<unsigned>(kind);
    }
    return 0;
}

// JSON-LD is hostile text like any other; only the values after "@type" are looked at, the JSON is not
// parsed.
std::uint32_t kinds_in_json(std::string_view json) {
    constexpr std::string_view key = "\"@type\"";
    std::uint32_t kinds = 0;
    for (std::size_t at = json.find(key); at != std::string_view::npos; at = json.find(key, at + 1)) {
        std::string_view rest = json.substr(at + key.size(), 120);
        const std::size_t open = rest.find('"');
        if (open == std::string_view::npos) continue;
        rest.remove_prefix(open + 1);
        kinds |= kind_bits(rest.substr(0, rest.find('"')));
    }
    return kinds;
}

void read_meta(const Tree& tree, NodeId id, PageCues& cues) {
    if (tree.attribute_or_empty(id, Attr::property) != "og:type") return;
    const std::string_view type = tree.attribute_or_empty(id, Attr::content);
    cues.is_article_by_open_graph |= type.ends_with("article");
    cues.is_product_by_open_graph |= type.ends_with("product");
}

void read_title(const Tree& tree, NodeId id, PageCues& cues) {
    constexpr std::size_t most_words = 64;
    const NodeId child = tree.first_child(id);
    if (!cues.title_words.empty() || child == html::no_node || !tree.is_text(child)) return;
    each_word(tree[child].text, [&](WordHash word) {
        if (cues.title_words.size() < most_words) cues.title_words.push_back(word.value());
    });
    std::ranges::sort(cues.title_words);
}

void read_element(const Tree& tree, NodeId id, PageCues& cues) {
    switch (tree[id].tag) {
        case Tag::meta: read_meta(tree, id, cues); break;
        case Tag::title: read_title(tree, id, cues); break;
        case Tag::article: ++cues.articles; break;
        case Tag::main: ++cues.mains; break;
        case Tag::script: {
            const NodeId child = tree.first_child(id);
            const bool is_json = tree.attribute_or_empty(id, Attr::type) == "application/ld+json";
            if (is_json && child != html::no_node) cues.kinds |= kinds_in_json(tree[child].text);
            break;
        }
        default: break;
    }
}

}  // namespace

PageCues read_page_cues(const Tree& tree) {
    PageCues cues;
    const bool has_microdata = tree.may_have(Attr::itemtype);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is_element(id) || tree[id].space != html::Namespace::html) continue;
        read_element(tree, id, cues);
        if (!has_microdata) continue;
        const std::string_view type = tree.attribute_or_empty(id, Attr::itemtype);
        if (!type.empty()) cues.kinds |= kind_bits(type);
    }
    return cues;
}

std::size_t count_title_words(const PageCues& cues, std::span<const std::uint32_t> words) {
    return static_cast<std::size_t>(std::ranges::count_if(
        words, [&](std::uint32_t word) { return std::ranges::binary_search(cues.title_words, word); }));
}

namespace {

std::vector<BlockSums> sum_blocks(const Blocks& blocks) {
    std::vector<BlockSums> sums(blocks.list.size() + 1);
    for (std::size_t at = 0; at < blocks.list.size(); ++at) {
        const TextCounts& text = blocks.list[at].text;
        BlockSums sum = sums[at];
        ++sum.blocks;
        sum.words += text.words;
        sum.link_words += text.link_words;
        sum.prose_words += is_prose(text) ? text.words - text.link_words : 0;
        sums[at + 1] = sum;
    }
    return sums;
}

BlockKinds count_kinds(const html::Tree& tree, const Blocks& blocks) {
    BlockKinds kinds;
    for (const Block& block : blocks.list) {
        kinds.years += block.text.years != 0;
        kinds.prices += block.text.prices != 0;
        kinds.headings += heading_level(tree, block.container) != 0;
    }
    return kinds;
}

// Goes down from the document as long as one child holds `percent` of all prose.
NodeId find_prose_holder(const PageView& page, std::uint64_t percent) {
    const std::uint64_t wanted = page.total().prose_words * percent / 100;
    NodeId holder = html::document_node;
    NodeId child = page.tree.first_child(holder);
    while (wanted != 0 && child != html::no_node) {
        if (page.inside(child).prose_words > wanted) {
            holder = child;
            child = page.tree.first_child(child);
        } else {
            child = page.tree.next_sibling(child);
        }
    }
    return holder;
}

}  // namespace

bool is_prose(const TextCounts& text) {
    return text.words >= 12 && 3 * text.link_words <= text.words && text.sentence_ends + text.commas != 0;
}

PageView::PageView(const html::Tree& page_tree, const Vocabulary& vocabulary)
    : tree(page_tree),
      visibility(page_tree),
      blocks(segment(page_tree, visibility, vocabulary)),
      surroundings(read_surroundings(page_tree, blocks, visibility, vocabulary)),
      cues(read_page_cues(page_tree)),
      sums(sum_blocks(blocks)),
      kinds(count_kinds(page_tree, blocks)) {
    half_of_prose = find_prose_holder(*this, 50);
    most_of_prose = find_prose_holder(*this, 85);
}

}  // namespace quarry::extract
