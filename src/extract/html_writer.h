// Writes the selected part of a tree as HTML without anything that acts, hides or styles: what `html` means
// among the formats.
#pragma once

#include <string>

#include "extract/extract_selection.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::extract {

struct CleanHtmlOptions {
    const url::Url* base = nullptr;  // links and images become absolute against it
    bool keep_data_images = false;   // images whose source is a data: URL
};

// Only elements that carry content or structure are written, and of their attributes only those that a reader
// needs; others are replaced by what is inside them. Scripts, styles, forms' controls, event handlers and
// URLs other than http(s), mailto and tel cannot come out. Parsing the result gives the same text again.
// Pure; linear in the size of the tree.
std::string to_clean_html(const html::Tree& tree, const Selection& selection,
                          const CleanHtmlOptions& options = {});

}  // namespace quarry::extract
