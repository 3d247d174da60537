// What authors call their elements: class, id, role and the like, split into words and sorted into kinds.
#pragma once

#include <cstdint>
#include <string_view>

#include "extract/content/extract_vocabulary.h"
#include "html/tree.h"

namespace quarry::extract {

enum class Cue : std::uint8_t {
    content,
    comment,
    thread,
    navigation,
    sidebar,
    footer,
    header,
    breadcrumb,
    share,
    related,
    promotion,
    consent,
    subscribe,
    byline,
    tag,
    contents_table,
    pager,
    product,
    description,
    review,
    card,
    user,
    action,
    search,
    media,
    hidden,
    question,
    code,
    notice,
    count,
};
inline constexpr std::size_t cue_count = static_cast<std::size_t>(Cue::count);

struct NameCues {
    std::uint32_t bits = 0;   // 1 << Cue
    std::int16_t weight = 0;  // sum of the learnt weights of the words

    bool has(Cue cue) const { return (bits >> static_cast<unsigned>(cue) & 1U) != 0; }
};

// Reads the attributes that carry names: class, id, role, itemprop, data-testid, aria-label.
NameCues read_name_cues(const html::Tree& tree, html::NodeId id, const WordWeights& weights);

// The attributes themselves: calls `found` with the value of each.
template <typename Found>
void each_name(const html::Tree& tree, html::NodeId id, Found found) {
    for (const html::Attribute& attribute : tree.attributes(id)) {
        switch (attribute.name) {
            case html::Attr::class_:
            case html::Attr::id:
            case html::Attr::role:
            case html::Attr::itemprop:
            case html::Attr::data_testid:
            case html::Attr::aria_label: found(attribute.value.substr(0, 400)); break;
            default: break;
        }
    }
}

// Splits a name such as "postBody-main_2" into words (post, Body, main) and calls `found` with each.
template <typename Found>
void each_name_word(std::string_view name, Found found) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const char* const end = name.data() + name.size();
    for (const char* at = name.data(); at != end;) {
        const char* const start = at;
        // A capital after a small letter begins the next word.
        while (at != end && is_letter(*at) && (at == start || *at >= 'a' || at[-1] < 'a')) ++at;
        if (at - start >= 2 && at - start <= 24) found(std::string_view(start, at));
        at += at == start;
    }
}

}  // namespace quarry::extract
