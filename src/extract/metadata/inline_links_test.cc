#include <string>

#include <doctest/doctest.h>

#include "extract/metadata/links.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string found_in(std::string_view markdown) {
    const auto base = url::Url::parse("https://a.example/docs/").value();
    const InlineLinks found = find_inline_links(markdown, &base);
    std::string text;
    for (const Link& link : found.links) text += link.url + "|" + link.text + "\n";
    for (const Image& image : found.images) text += "!" + image.url + "|" + image.alt + "\n";
    return text;
}

}  // namespace

TEST_CASE("links are found in markdown") {
    struct Row {
        const char* markdown;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"see [the guide](guide.md) now", "https://a.example/docs/guide.md|the guide\n", "inline"},
        {"[a](</x y>)", "https://a.example/x%20y|a\n", "angle brackets"},
        {"[a](/x \"title\")", "https://a.example/x|a\n", "a title"},
        {"[a](/x_(y))", "https://a.example/x_(y)|a\n", "brackets in a URL"},
        {"![alt](p.png)", "!https://a.example/docs/p.png|alt\n", "image"},
        {"<https://b.example/>", "https://b.example/|\n", "autolink"},
        {"at https://b.example/x.", "https://b.example/x|\n", "bare, without the full stop"},
        {"(https://b.example/x)", "https://b.example/x|\n", "bare in brackets"},
        {"[ref]: https://b.example/y", "https://b.example/y|ref\n", "definition"},
        {"- [ ] task", "", "a task is no link"},
        {"[a](#here) [m](mailto:a@b.example)", "", "leads to no page"},
        {"`[a](/x)` and ``[`](/y)``", "", "code"},
        {"```\n[a](/x)\n```\n[b](/y)", "https://a.example/y|b\n", "code block"},
        {"\\[a](/x)", "", "escaped"},
        {"[a](/x) [b](/x)", "https://a.example/x|a\n", "each once"},
        {"[a](", "", "unclosed"},
        {"http", "", "almost"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.markdown);
        CAPTURE(row.reason);
        CHECK(found_in(row.markdown) == row.expected);
    }
}
