#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "text/chunks/chunk_markdown.h"

using namespace quarry::text;

namespace {

using Headings = std::vector<std::string>;

}  // namespace

TEST_CASE("a heading stands below the last one of a higher rank") {
    const SharedPath title = path_below(nullptr, 0, "T");
    const SharedPath chapter = path_below(title, 1, "A");
    const SharedPath section = path_below(chapter, 3, "a");  // a rank left out is no rank missing
    const SharedPath next_section = path_below(section, 2, "b");
    const SharedPath next_chapter = path_below(next_section, 1, "B");

    CHECK(headings_of(section.get()) == Headings{"T", "A", "a"});
    CHECK(headings_of(next_section.get()) == Headings{"T", "A", "b"});
    CHECK(headings_of(next_chapter.get()) == Headings{"T", "B"});
    CHECK(headings_of(nullptr).empty());
}

TEST_CASE("two paths share what stands above both, by place and not by words") {
    const SharedPath chapter = path_below(nullptr, 1, "A");
    const SharedPath first = path_below(chapter, 2, "Example"), second = path_below(first, 2, "Example");
    const SharedPath deep = path_below(first, 3, "x");
    const SharedPath elsewhere = path_below(nullptr, 1, "A");

    CHECK(common_path(first, second) == chapter);
    CHECK(common_path(deep, first) == first);
    CHECK(common_path(deep, second) == chapter);
    CHECK(common_path(first, first) == first);
    CHECK(common_path(first, elsewhere) == nullptr);
    CHECK(common_path(first, nullptr) == nullptr);
}

TEST_CASE("a heading that repeats the one above it, or says nothing, is left out") {
    const SharedPath title = path_below(nullptr, 0, "Guide");
    const SharedPath same = path_below(title, 1, "Guide");
    const SharedPath empty = path_below(same, 2, "");

    CHECK(headings_of(path_below(empty, 3, "Usage").get()) == Headings{"Guide", "Usage"});
}

TEST_CASE("a heading of any length is cut where a letter ends") {
    std::string line = "# ";
    for (int i = 0; i < 5000; ++i) line += "я";

    const std::string heading = plain_heading(line);

    CHECK(heading.size() < 200);
    CHECK(heading.ends_with("я…"));
}

TEST_CASE("signs in a heading that are no marks stay") {
    struct Row {
        std::string_view line, heading;
    };
    for (const Row& row : {
             Row{"# a < b & c > d", "a < b & c > d"},
             Row{"# AT&amp;T", "AT&amp;T"},
             Row{"# `<div>` elements", "<div> elements"},
             Row{"# 100% sure!", "100% sure!"},
             Row{"# snake_case and __init__", "snake_case and __init__"},
             Row{"#", ""},
             Row{"# # #", "#"},
             Row{"# ![logo](x.png) Name", "logo Name"},
             Row{"# <a id=\"x\"></a>Name", "Name"},
         }) {
        CAPTURE(row.line);
        CHECK(plain_heading(row.line) == row.heading);
    }
}
