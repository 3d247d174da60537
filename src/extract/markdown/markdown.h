// Writes the selected part of a tree as GitHub-flavoured markdown that renders back to the same structure.
#pragma once

#include <string>

#include "extract/selection.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::extract {

struct MarkdownOptions {
    const url::Url* base =
        nullptr;  // links and images become absolute against it; without it they stay as written
    bool keep_data_images = false;  // images whose source is a data: URL
};

// Pure; time and memory are linear in the size of the tree. Ends with one newline, or is "".
std::string to_markdown(const html::Tree& tree, const Selection& selection,
                        const MarkdownOptions& options = {});

}  // namespace quarry::extract
