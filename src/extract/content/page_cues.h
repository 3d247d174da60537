// What a page says about itself: its title, its kind in Open Graph, JSON-LD and microdata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "html/tree.h"

namespace quarry::extract {

// Kinds of pages by declaration. A page may declare several, or none.
enum class Kind : std::uint8_t { article, product, discussion, questions, listing, organisation, count };

struct PageCues {
    std::uint32_t kinds = 0;                   // 1 << Kind, from JSON-LD and microdata
    bool is_article_by_open_graph = false;     // og:type article
    bool is_product_by_open_graph = false;     // og:type product
    std::uint32_t articles = 0;                // <article> elements
    std::uint32_t mains = 0;                   // <main> elements
    std::vector<std::uint32_t> title_words{};  // hashes of the words of <title>, sorted

    bool declares(Kind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; }
};

PageCues read_page_cues(const html::Tree& tree);

// How many of the words (hashes) are in the title.
std::size_t count_title_words(const PageCues& cues, std::span<const std::uint32_t> words);

}  // namespace quarry::extract
