#include "schema/pattern.h"

#include <doctest/doctest.h>

using quarry::schema::Pattern;

TEST_CASE("patterns of ECMAScript match as they do there") {
    struct Row {
        const char *pattern, *text;
        bool matches;
    };
    const Row rows[] = {
        {"a", "bab", true},
        {"^a$", "a\n", false},
        {R"(\d+)", "٣", false},
        {R"(\s)", "\u00a0", true},
        {R"(^[\s]$)", "\ufeff", true},
        {R"(\u0041)", "A", true},
        {R"(\u{1F600})", "😀", true},
        {R"(^\p{Letter}+$)", "Öl", true},
        {R"(\p{Lu})", "a", false},
        {R"(\cJ)", "\n", true},
        {R"((?<year>\d{4}))", "in 2024", true},
        {R"([^])", "\n", true},
        {R"([[])", "[", true},
        {R"(\/)", "/", true},
        {"^.$", "😀", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pattern);
        CHECK(Pattern::parse(row.pattern).value().is_in(row.text) == row.matches);
    }
}

TEST_CASE("what RE2 cannot match in linear time, or what is no pattern, is refused") {
    for (const char* pattern : {"(?=a)", "(?<!a)b", R"((a)\1)", "(", "[", R"(\Z)", "a{2000}{2000}"}) {
        CAPTURE(pattern);
        CHECK(!Pattern::parse(pattern));
    }
    CHECK(Pattern::parse(std::string(5'000, 'a')).error().code == quarry::ErrorCode::too_large);
}
