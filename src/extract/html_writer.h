// Writes the selected part of a tree as HTML without anything that acts, hides or styles: what `html` means
// among the formats. append_text and append_attribute_value escape text so that a parser reads the same
// text again.
#pragma once

#include <string>
#include <string_view>

#include "extract/selection.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::extract {

// Text written into HTML so that a parser reads the same text again.

void append_text(std::string& html, std::string_view text);
// For values between double quotes.
void append_attribute_value(std::string& html, std::string_view value);

// Writes the selected part of a tree as HTML without anything that acts, hides or styles: what `html` means
// among the formats.

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
