// Where in the page an element stands: what its ancestors are, what their authors call them (class, id and
// role, split into words and sorted into kinds), which of them repeat like the items of a list, and which
// is the next one that holds more text. Two passes compute this for all elements.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "extract/content/blocks.h"
#include "extract/content/vocabulary.h"
#include "html/tree.h"

namespace quarry::extract {

// What authors call their elements: class, id, role and the like, split into words and sorted into kinds.

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

// Where in the page an element stands: what its ancestors are and are called, which of them repeat like the
// items of a list, and which is the next one that holds more text. Computed for all elements in two passes.

// Kinds of ancestors, from tags and the roles that stand for them.
enum class Region : std::uint8_t {
    article,
    main,
    nav,
    aside,
    footer,
    header,
    section,
    form,
    table,
    list,
    definitions,
    quote,
    preformatted,
    figure,
    details,
    button,
    link,
    dialog,
    hidden,
    select,
    paragraph,
    heading,
    address,
    count,
};
inline constexpr std::size_t region_count = static_cast<std::size_t>(Region::count);

struct Surroundings {
    std::uint32_t regions = 0;                      // 1 << Region of the element and its ancestors
    std::uint8_t lists = 0;                         // how many lists it is nested in
    std::uint8_t tables = 0;                        // and tables
    std::uint32_t cues = 0;                         // 1 << Cue that the element or an ancestor has
    std::array<std::uint16_t, cue_count> cue_at{};  // depth of the nearest element with the cue
    std::int16_t weight = 0;                        // learnt weights of names: all ancestors,
    std::int16_t near_weight = 0;                   // the nearest ones (halved at every step),
    std::int16_t worst_weight = 0;                  // and the single worst element
    html::NodeId wider = html::no_node;             // the nearest ancestor that holds more blocks
    html::NodeId inner_repeat = html::no_node;      // the nearest and the outermost ancestor (or itself) that
    html::NodeId outer_repeat = html::no_node;      //   is one of three or more alike siblings in a row
    std::uint32_t signature = 0;                    // a hash of its tag and first class
    std::uint32_t repeats = 0;                      // how many these siblings are, if it is one itself

    bool in(Region region) const { return (regions >> static_cast<unsigned>(region) & 1U) != 0; }
};

// The surroundings of all nodes. Only elements that hold blocks have any, which are few of them; the others
// share an empty entry.
class SurroundingsByNode {
public:
    // `holders` is how many nodes are expected to get an entry of their own.
    SurroundingsByNode(html::NodeId nodes, std::size_t holders) : place_(nodes) {
        entries_.reserve(holders + 1);
        entries_.emplace_back();
    }

    // A node's place is always that of an entry.
    const Surroundings& operator[](html::NodeId id) const { return entries_.data()[place_[id]]; }

    // Gives the node an entry of its own, to be filled in. References to entries become invalid.
    void add(html::NodeId id);
    Surroundings& entry(html::NodeId id) { return entries_.data()[place_[id]]; }
    // Entries are numbered from 0 on, the shared one first.
    std::uint32_t place(html::NodeId id) const { return place_[id]; }
    std::size_t size() const { return entries_.size(); }

private:
    std::vector<Surroundings> entries_;
    std::vector<std::uint32_t> place_;  // per node
};

SurroundingsByNode read_surroundings(const html::Tree& tree, const Blocks& blocks,
                                     const Visibility& visibility, const Vocabulary& vocabulary);

}  // namespace quarry::extract
