// How a browser shows a page, as far as tags and attributes tell. It never shows scripts, inert templates
// and hidden elements; it lays out some elements as blocks; and some tables place things on the page and
// hold no data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract {

// How browsers lay elements out, as far as attributes and tags tell.

// True if the element starts a new line on the page. Unknown elements do: custom elements are mostly
// containers.
bool is_block_level(const html::Node& node);

// True if a class attribute says that the element is for screen readers only, or a picture made of letters
// (an icon font).
bool has_unseen_class(std::string_view classes);

// Tables that hold data are written in rows; tables that only place things on the page are not tables to a
// reader.

// For every node: true if it is a <table> used for layout, because it holds another table, headings, lists,
// code or more than one paragraph in a cell. Linear.
std::vector<bool> find_layout_tables(const html::Tree& tree);

// What a browser would not show, whatever the page is about: scripts, inert templates, hidden elements.

// A <template> whose contents are shown, in the place of the element it stands in.
bool is_declarative_shadow_root(const html::Tree& tree, html::NodeId id);

// Asked of the page as a whole, because a page may hide everything until a script has run, or say everything
// in <noscript>. What can be told of an element alone is found out once, when this is made.
class Visibility {
public:
    explicit Visibility(const html::Tree& tree);

    // Never text (script, style, head, inert templates, …), a <noscript> that adds nothing, or hidden words
    // within a line.
    bool never_shown(html::NodeId id) const { return signs_[id] != 0 && is_never_shown(id); }
    // Hidden by its attributes (hidden, style, a closed dialog), unless that would hide most of the page.
    // Inactive tab panels are not counted: they are one click away and part of what the page says.
    bool hides(html::NodeId id) const {
        return (signs_[id] & hidden) != 0 && 2 * text_inside(id) <= before_.back();
    }

private:
    // What speaks against showing an element.
    enum Sign : std::uint8_t {
        never_rendered = 1 << 0,
        hidden = 1 << 1,
        in_line = 1 << 2,  // and something else speaks against it
        unseen_class = 1 << 3,
        noscript = 1 << 4,
    };

    std::uint8_t signs_of(html::NodeId id) const;
    std::uint8_t signs_of_attributes(html::NodeId id) const;
    bool is_never_shown(html::NodeId id) const;
    std::uint64_t text_inside(html::NodeId id) const { return before_[tree_[id].end] - before_[id]; }
    bool noscript_adds(html::NodeId id) const;
    bool follows_image(html::NodeId id) const;

    const html::Tree& tree_;
    std::vector<std::uint8_t> signs_;
    // For every node the bytes of rendered, non-blank text before it, and one more entry for the end: text
    // inside a subtree is the difference of two entries.
    std::vector<std::uint32_t> before_;
};

}  // namespace quarry::extract
