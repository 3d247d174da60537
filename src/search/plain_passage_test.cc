#include "search/plain_passage.h"

#include <string>

#include <doctest/doctest.h>

using quarry::search::plain_passage;

TEST_CASE("markdown as one line of words table") {
    struct Row {
        const char *markdown, *expected, *why;
    };
    const Row rows[] = {
        {"", "", "nothing"},
        {"\n\n", "", "only lines"},
        {"One\ntwo.\n\nThree  four.", "One two. Three four.", "lines and paragraphs are joined"},
        {"## Install\n\nRun it.", "Install Run it.", "a heading"},
        {"#hashtag #5", "#hashtag #5", "no heading"},
        {"- one\n- two\n* three\n+ four", "one two three four", "list items"},
        {"1. one\n2. two", "1. one 2. two", "numbers of a list say something"},
        {"> quoted\n> > twice", "quoted twice", "quotes"},
        {"| name | size |\n|---|---:|\n| a | 1 |", "name | size a | 1", "a table keeps its inner bars"},
        {"above\n\n---\n\nbelow", "above below", "a rule"},
        {"**bold** and *slanted* and __bold__ and ~~gone~~", "bold and slanted and bold and gone",
         "emphasis"},
        {"foo_bar, __init__.py, 2*3, a * b, ~/x", "foo_bar, init.py, 2*3, a * b, ~/x", "no emphasis"},
        {"see [the guide](https://a.example/x) now", "see the guide now", "a link"},
        {"![a cat](cat.png) sat", "a cat sat", "a picture"},
        {"[1] and arr[0] and f(x)", "[1] and arr[0] and f(x)", "brackets of no link"},
        {"<https://a.example/x> but vector<int>", "https://a.example/x but vector<int>", "angle brackets"},
        {"use `a*b*c` here", "use a*b*c here", "code in a line keeps its characters"},
        {"``a ` b`` c", "a ` b c", "code with a backtick in it"},
        {"an ` alone", "an alone", "a backtick without its end"},
        {"\\*not\\* \\_this\\_ C:\\dir", "*not* _this_ C:\\dir", "escapes"},
        {"x\n```cpp\nint *p = &a[0];  // __x__\n```\ny", "x int *p = &a[0]; // __x__ y", "fenced code"},
        {"~~~\n```\n~~~", "```", "a fence inside another"},
        {"```\nno end", "no end", "a fence without its end"},
        {"[![a cat](cat.png)](https://a.example/) sat", "a cat sat", "a picture in a link"},
        {"wow! [x", "wow! [x", "an open bracket"},
        {"a](b", "a](b", "an end without a beginning"},
        {"Größe – 東京", "Größe – 東京", "not ASCII"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(plain_passage(row.markdown) == row.expected);
    }
}

TEST_CASE("a passage of nothing but openings is read in linear time") {
    for (const char* opening : {"[", "](", "<https://", "`", "``a", "*", "\\", "![", "_a", "> ", "|"}) {
        CAPTURE(opening);
        std::string many;
        while (many.size() < 400'000) many += opening;

        CHECK(plain_passage(many).size() <= many.size());
    }
}
