#include "extract/markdown/escape.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace quarry::extract::markdown;

TEST_CASE("a plain stretch ends where something has to be looked at") {
    constexpr struct {
        std::string_view text;
        std::size_t start, end;
    } cases[] = {
        {"", 0, 0},
        {"words of text", 0, 13},
        {"words  of text", 0, 5},  // two spaces collapse
        {"words ", 0, 5},          // what follows a last space is not known
        {" words", 0, 0},
        {" words", 1, 6},
        {"a *b*", 0, 1},
        {"a.b, c: d", 0, 9},
        {"caf\u00E9 bar", 0, 9},
        {"no\u00A0break", 0, 2},
        {"line\nbreak", 0, 4},
        {"0123456789012345678901234567890 x", 0, 33},  // the space is the last byte in sight
        {"0123456789012345678901234567890 *", 0, 31},
        {"0123456789012345678901234567890  ", 0, 31},
        {"0123456789012345678901234567890 ", 0, 31},
        {"0123456789012345 789012345678901234567890123456789[", 0, 50},
    };
    for (const auto& [text, start, end] : cases) {
        CAPTURE(text);
        CHECK(find_plain_end(text, start) == end);
        CHECK(find_plain_end_slowly(text, start) == end);
    }
}

TEST_CASE("many bytes at once end where one by one ends") {
    constexpr std::string_view pieces[] = {"word",   "a",      " ",      "  ",         "\t", "*",
                                           "\u00E9", "\u00A0", "\u4E2D", "longerword", "0"};
    std::mt19937 random(3);
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (std::size_t left = random() % 24; left > 0; --left) {
            const std::size_t rare = random() % 4 == 0 ? std::size(pieces) : 3;
            text += pieces[random() % rare];
        }
        const std::size_t start = random() % (text.size() + 1);
        CAPTURE(text);
        CAPTURE(start);
        REQUIRE(find_plain_end(text, start) == find_plain_end_slowly(text, start));
    }
}
