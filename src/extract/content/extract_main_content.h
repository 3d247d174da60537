// Tells the content of a page from its surroundings: navigation, banners, share bars, related links, footers.
#pragma once

#include "extract/extract_selection.h"
#include "html/tree.h"

namespace quarry::extract {

// Marks what a reader came for, on any kind of page. Never empty-handed: a page whose text is all boilerplate
// by every measure is returned whole. Pure; linear in the size of the tree.
Selection select_main_content(const html::Tree& tree);

// Everything a browser would show, boilerplate included: drops only what is never text (scripts, styles,
// templates, hidden elements).
Selection select_full_page(const html::Tree& tree);

}  // namespace quarry::extract
