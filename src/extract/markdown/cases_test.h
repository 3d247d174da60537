// What the tests of the markdown writer share: a table of HTML and the markdown it becomes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "extract/content/main_content.h"
#include "extract/markdown/markdown.h"
#include "html/parser.h"

namespace quarry::extract {

struct MarkdownCase {
    std::string_view html;
    std::string_view markdown;  // without the newline that ends every document
};

inline std::string markdown_of(std::string_view html, const MarkdownOptions& options = {}) {
    const html::Tree tree = html::parse(std::string(html));
    std::string markdown = to_markdown(tree, select_full_page(tree), options);
    if (!markdown.empty()) {
        REQUIRE(markdown.back() == '\n');
        markdown.pop_back();
    }
    return markdown;
}

inline void check_markdown(std::initializer_list<MarkdownCase> cases) {
    for (const MarkdownCase& one : cases) {
        CAPTURE(one.html);
        CHECK(markdown_of(one.html) == one.markdown);
    }
}

}  // namespace quarry::extract
