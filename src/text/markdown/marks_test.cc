#include "text/markdown/marks.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;

TEST_CASE("a fence is three or more of one mark at the begin of a line") {
    struct Row {
        std::string_view line;
        char mark;
        std::size_t length;
    };
    for (const Row& row : {
             Row{"```", '`', 3},
             Row{"````cpp", '`', 4},
             Row{"  ~~~ info ` string", '~', 3},
             Row{"> - ```", '`', 3},
             Row{"1. ```", '`', 3},
             Row{"``", 0, 0},
             Row{"```code``` span", 0, 0},
             Row{"text ```", 0, 0},
             Row{"1.```", 0, 0},
             Row{"", 0, 0},
         }) {
        CAPTURE(row.line);
        CHECK(fence_at(row.line, 0).mark == row.mark);
        CHECK(fence_at(row.line, 0).length == row.length);
    }
}

TEST_CASE("a fenced block ends with a fence as long as it began, and nothing inside is a mark") {
    constexpr std::string_view text = "````x\n[a](b)\n```\n````\n[a](b)";
    MarkdownMarks marks(text);

    CHECK(marks.enter_line(0) == 5);
    CHECK(marks.enter_line(6) == 6);
    CHECK(marks.is_code(8));
    CHECK(marks.skip(8) == 8);
    CHECK(marks.enter_line(13) == 13);
    CHECK(marks.enter_line(17) == 21);
    CHECK_FALSE(marks.is_code(24));
    CHECK(marks.skip(24) == 28);
}

TEST_CASE("a backtick without its counterpart in the paragraph opens nothing") {
    constexpr std::string_view text = "a ` <b> c\n\n` d";
    MarkdownMarks marks(text);

    CHECK(marks.skip(2) == 3);
    CHECK_FALSE(marks.is_code(4));
    CHECK(marks.skip(4) == 7);
}

TEST_CASE("hostile repetitions take linear time") {
    // Each would take hours if every mark looked for its end to the end of the text.
    for (const std::string_view unit :
         {"](", "<b ", "<!--", "`a``b", "[a]: ", "&#", "](<", "\n```x`", "<a href=\"", "](a \""}) {
        CAPTURE(unit);
        std::string text;
        while (text.size() < 2'000'000) text += unit;
        MarkdownMarks marks(text);
        std::size_t at = marks.enter_line(0), seen = 0;
        while (at < text.size()) {
            if (text[at] == '\n')
                at = std::max(at + 1, marks.enter_line(at + 1));
            else
                at = std::max(at + 1, marks.skip(at));
            ++seen;
        }
        CHECK(seen > 0);
    }
}
