// What a browser would not show, whatever the page is about: scripts, inert templates, hidden elements.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract {

// True for elements whose contents are never text for a reader: script, style, head, inert templates, …
// A <template shadowrootmode> is rendered, so it is not one of them.
bool is_never_rendered(const html::Tree& tree, html::NodeId id);

// True if the element's own attributes hide it (hidden, style, a closed dialog). Inactive tab panels are not
// counted: they are one click away and part of what the page says.
bool is_hidden(const html::Tree& tree, html::NodeId id);

// The same questions with the whole page in view: a page may hide everything until a script has run, or say
// everything in <noscript>.
class Visibility {
public:
    explicit Visibility(const html::Tree& tree);

    // Never text, a <noscript> that adds nothing, or hidden words within a line.
    bool never_shown(html::NodeId id) const;
    // Hidden by its attributes, unless that would hide most of the page.
    bool hides(html::NodeId id) const;

private:
    std::uint64_t text_inside(html::NodeId id) const { return before_[tree_[id].end] - before_[id]; }
    bool noscript_adds(html::NodeId id) const;
    bool follows_image(html::NodeId id) const;

    const html::Tree& tree_;
    // For every node the bytes of rendered, non-blank text before it, and one more entry for the end: text
    // inside a subtree is the difference of two entries.
    std::vector<std::uint32_t> before_;
};

}  // namespace quarry::extract
