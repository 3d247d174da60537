// What the standard says about kinds of elements, as bits per tag: membership is one load.
#pragma once

#include <array>
#include <cstdint>

#include "html/names.h"
#include "html/tree.h"

namespace quarry::html {

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

}  // namespace quarry::html
