#include "base/printable.h"

#include <doctest/doctest.h>

using namespace quarry;

TEST_CASE("what a terminal obeys becomes spaces, and every byte keeps its place") {
    struct Row {
        const char* text;
        const char* safe;
        const char* reason;
    };
    const Row rows[] = {
        {"größer 語 😀", "größer 語 😀", "letters stay"},
        {"a\033[2Jb\r\nc\x7f", "a [2Jb  c ", "ASCII controls"},
        {"a\xC2\x9B"
         "2Jb",
         "a  2Jb", "U+009B begins a command as ESC [ does"},
        {"\xC2\x80\xC2\x9F\xC2\xA0", "    \xC2\xA0", "C1 controls; a no-break space is none"},
        {"a\x9B"
         "2Jb",
         "a?2Jb", "the same as a byte of Latin-1, which is not UTF-8"},
        {"\xE2\x80\xA8\xE2\x80\xA9", "      ", "separators of lines and paragraphs"},
        {"\xC0\x9B\xED\xA0\x80\xF5\xF4\x90\x80\x80", "??????????", "overlong, surrogate, too large"},
        {"a\xE8\xAA", "a??", "a character cut off"},
        {"\033[31mred\033[0m", " [31mred [0m", "colours of strangers"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(printable(row.text) == row.safe);
        CHECK(printable(row.text).size() == std::string_view(row.text).size());
    }
}

TEST_CASE("lines for a terminal keep their breaks and our colours, and no other command") {
    CHECK(printable_lines("a\tb\n\033[31mred\033[0m\n") == "a\tb\n\033[31mred\033[0m\n");
    CHECK(printable_lines("\033[2J\033]0;title\a\033[1;31m\033[m\033[9999m\r") ==
          " [2J ]0;title  [1;31m [m [9999m ");
    CHECK(printable_lines("\033[3") == " [3");
    CHECK(printable_lines("\xC2\x9B"
                          "31m") == "  31m");
}

TEST_CASE("what is not UTF-8 is replaced, and nothing else") {
    CHECK(as_utf8("größer 語\n\x01") == "größer 語\n\x01");
    CHECK(as_utf8("a\xFF\xC2") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}
