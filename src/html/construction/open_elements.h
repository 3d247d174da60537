// The stack of open elements, and what the standard says about kinds of elements, as bits per tag. Every
// question the standard answers by walking the stack ("has a p element in button scope", "any other end
// tag") is answered here in constant time, because hostile pages ask it a million times over a deep stack.
// For each tag the stack knows its topmost open element, and for each kind of scope the topmost element
// that ends it. Overflow counts the elements that were too deep to be opened: a million <div> and a million
// </div> come out even.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "html/construction/build_tree.h"
#include "html/names.h"
#include "html/tree.h"

namespace quarry::html {

// What the standard says about kinds of elements, as bits per tag: membership is one load.

enum TagClass : std::uint16_t {
    special = 1 << 0,
    bounds_scope = 1 << 1,         // stops "has an element in scope"
    bounds_list_scope = 1 << 2,    // what list item scope adds
    bounds_button_scope = 1 << 3,  // what button scope adds
    bounds_table_scope = 1 << 4,
    closes_implied = 1 << 5,             // popped by "generate implied end tags"
    closes_implied_thoroughly = 1 << 6,  // popped by "… thoroughly"
    transparent_to_items = 1 << 7,       // special, but <li>, <dd> and <dt> look through it
    table_structure = 1 << 8,            // content that lands directly in it is foster parented
    heading = 1 << 9,
    raw_text = 1 << 10,    // its content is text up to its own end tag
    never_deep = 1 << 11,  // void, or merged into an open element: cannot make the tree deeper
};

namespace tag_classes_detail {

using Table = std::array<std::uint16_t, listed_tags>;

template <typename... Tags>
constexpr void set_bits(Table& classes, unsigned bits, Tags... tags) {
    ((classes[static_cast<std::size_t>(tags)] |= static_cast<std::uint16_t>(bits)), ...);
}

constexpr Table html_table() {
    using enum Tag;
    Table classes{};
    set_bits(classes, special, address, applet, area, article, aside, base, basefont, bgsound, blockquote,
             body, br, button, caption, center, col, colgroup, dd, details, dir, div, dl, dt, embed, fieldset,
             figcaption, figure, footer, form, frame, frameset, h1, h2, h3, h4, h5, h6, head, header, hgroup,
             hr, html, iframe, img, input, keygen, li, link, listing, main, marquee, menu, meta, nav, noembed,
             noframes, noscript, object, ol, p, param, plaintext, pre, script, search, section, select,
             source, style, summary, table, tbody, td, template_, textarea, tfoot, th, thead, title, tr,
             track, ul, wbr, xmp);
    set_bits(classes, bounds_scope, applet, caption, html, table, td, th, marquee, object, select, template_);
    set_bits(classes, bounds_list_scope, ol, ul);
    set_bits(classes, bounds_button_scope, button);
    set_bits(classes, bounds_table_scope, html, table, template_);
    set_bits(classes, closes_implied | closes_implied_thoroughly, dd, dt, li, optgroup, option, p, rb, rp, rt,
             rtc);
    set_bits(classes, closes_implied_thoroughly, caption, colgroup, tbody, td, tfoot, th, thead, tr);
    set_bits(classes, transparent_to_items, address, div, p);
    set_bits(classes, table_structure, table, tbody, tfoot, thead, tr);
    set_bits(classes, heading, h1, h2, h3, h4, h5, h6);
    set_bits(classes, raw_text, title, textarea, style, script, xmp, iframe, noembed, noframes, plaintext,
             noscript);
    set_bits(classes, never_deep, area, base, basefont, bgsound, body, br, col, embed, frame, head, hr, html,
             image, img, input, keygen, link, meta, param, source, track, wbr);
    return classes;
}

inline constexpr Table html = html_table();
inline constexpr TagSet mathml_stops{Tag::mi, Tag::mo, Tag::mn, Tag::ms, Tag::mtext, Tag::annotation_xml};
inline constexpr TagSet svg_stops{Tag::foreign_object, Tag::desc, Tag::title};

}  // namespace tag_classes_detail

constexpr unsigned tag_classes(Tag tag) {
    const auto index = static_cast<std::size_t>(tag);
    return index < listed_tags ? tag_classes_detail::html[index] : 0U;
}

constexpr unsigned tag_classes(Namespace space, Tag tag) {
    using namespace tag_classes_detail;
    if (space == Namespace::html) return tag_classes(tag);
    const bool stops = space == Namespace::mathml ? mathml_stops.contains(tag) : svg_stops.contains(tag);
    return stops ? special | bounds_scope : 0U;
}

// The stack of open elements. Every question the standard answers by walking the stack ("has a p element in
// button scope", "any other end tag") is answered here in constant time, because hostile pages ask it a
// million times over a deep stack: for each tag the stack knows its topmost open element, and for each kind
// of scope the topmost element that ends it.

struct OpenElement {
    NodeId node = no_node;
    Tag tag = Tag::first_unlisted;
    Tag token_tag = Tag::first_unlisted;  // in lower case; differs from `tag` for some of svg
    Namespace space = Namespace::html;
    bool is_html_integration_point = false;

    bool is(Tag other) const { return tag == other && space == Namespace::html; }
    unsigned classes() const { return tag_classes(space, tag); }
};

class OpenElements {
public:
    using Index = std::int32_t;
    static constexpr Index none = -1;

    explicit OpenElements(BuildTree& nodes) : nodes_(nodes), topmost_(listed_tags * 2, none) {}

    bool empty() const { return size_ == 0; }
    Index size() const { return size_; }
    const OpenElement& operator[](Index index) const {
        return entries_[static_cast<std::size_t>(index)].element;
    }
    const OpenElement& current() const { return entries_.back().element; }

    void push(const OpenElement& element);
    void pop();
    // Pops until `count` elements are left.
    void pop_to(Index count);
    // Pops up to and with the topmost HTML element of this tag, if there is one.
    void pop_through(Tag tag);

    // The topmost open HTML element with this tag, or none.
    Index topmost(Tag tag) const { return find(tag, Namespace::html); }
    // The same for svg and math elements, by the name in lower case.
    Index topmost_foreign(Tag token_tag) const { return find(token_tag, Namespace::svg); }

    bool is_in_scope(Index index) const { return is_above(index, bounds_.scope); }
    bool has_in_scope(Tag tag) const { return is_above(topmost(tag), bounds_.scope); }
    bool has_in_button_scope(Tag tag) const { return is_above(topmost(tag), bounds_.button_scope); }
    bool has_in_list_scope(Tag tag) const { return is_above(topmost(tag), bounds_.list_scope); }
    bool has_in_table_scope(Tag tag) const { return is_above(topmost(tag), bounds_.table_scope); }
    bool has_heading_in_scope() const;
    // The element is not hidden by a special element above it.
    bool has_above_special(Tag tag) const { return is_above(topmost(tag), bounds_.special); }
    // The same, looking through address, div and p: how <li>, <dd> and <dt> find the item they end.
    bool has_above_item_stop(Tag tag) const { return is_above(topmost(tag), bounds_.item_stop); }
    // True if the current element is of the HTML namespace, or there is none.
    bool is_current_html() const { return bounds_.html == size_ - 1; }
    // The topmost element of the HTML namespace.
    Index topmost_html() const { return bounds_.html; }

    // Finding an element and changing the middle of the stack cost the elements above. `work` counts them, so
    // that callers can stop when a page makes them do too much of it.
    std::uint64_t work() const { return work_; }
    Index index_of(NodeId node);
    void remove(Index index);
    void insert(Index index, const OpenElement& element);
    void replace(Index index, const OpenElement& element);

private:
    // For each kind of boundary the index of the topmost one.
    struct Bounds {
        Index scope = none, button_scope = none, list_scope = none, table_scope = none;
        Index special = none, item_stop = none, html = none;
    };
    struct Entry {
        OpenElement element;
        Index previous_same;  // the next element below with the same name
        Bounds bounds_below;  // as they were before this element
    };

    static bool is_above(Index index, Index bound) { return index != none && index >= bound; }
    static std::size_t key(Tag tag, Namespace space) {
        return static_cast<std::size_t>(tag) * 2 + (space != Namespace::html ? 1 : 0);
    }
    Index find(Tag tag, Namespace space) const {
        const std::size_t at = key(tag, space);
        return at < topmost_.size() ? topmost_[at] : none;
    }
    void take_above(Index index);
    void put_back();

    BuildTree& nodes_;
    std::vector<Entry> entries_;
    Index size_ = 0;  // of `entries_`, which would divide by the size of an entry each time that it is asked
    std::vector<Index> topmost_;  // by key()
    std::vector<OpenElement> taken_;
    Bounds bounds_;
    std::uint64_t work_ = 0;
};

// Elements that were too deep to be opened. Their end tags must not close one of the elements below them, so
// they are counted: a million <div> and a million </div> come out even.

class Overflow {
public:
    // Counts an element that could not be opened inside `owner`, the deepest open element.
    void add(NodeId owner, Tag tag) {
        if (owner != owner_) {
            owner_ = owner;
            ++generation_;
        }
        const auto index = static_cast<std::size_t>(tag);
        if (index >= counts_.size()) counts_.resize(index + 64);
        Count& count = counts_[index];
        if (count.generation != generation_) count = {generation_, 0};
        ++count.elements;
    }

    // True if the end tag belongs to an element counted inside `owner`, which then is no longer.
    bool remove(NodeId owner, Tag tag) {
        const auto index = static_cast<std::size_t>(tag);
        if (owner != owner_ || index >= counts_.size()) return false;
        Count& count = counts_[index];
        if (count.generation != generation_ || count.elements == 0) return false;
        --count.elements;
        return true;
    }

private:
    struct Count {
        std::uint32_t generation = 0;  // Counts of another owner are void, without having to be cleared.
        std::uint32_t elements = 0;
    };
    std::vector<Count> counts_;
    NodeId owner_ = no_node;
    std::uint32_t generation_ = 0;
};

}  // namespace quarry::html
