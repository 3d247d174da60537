#include "chat/page_parts.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry::chat;
namespace json = boost::json;

TEST_CASE("a long text is cut where it hurts least") {
    using Parts = std::vector<std::string_view>;

    CHECK(parts_of("", 10, 3) == Parts{""});
    CHECK(parts_of("short", 10, 3) == Parts{"short"});
    CHECK(parts_of("aaaaaa\n\nbb cc", 10, 3) == Parts{"aaaaaa\n\n", "bb cc"});
    CHECK(parts_of("aaaaaa\nbb cc", 10, 3) == Parts{"aaaaaa\n", "bb cc"});
    CHECK(parts_of("aaaaaaa bbbb", 10, 3) == Parts{"aaaaaaa ", "bbbb"});
    CHECK(parts_of("ääääää", 5, 9) == Parts{"ää", "ää", "ää"});
    CHECK(parts_of("aaaabbbbcccc", 4, 2) == Parts{"aaaa", "bbbb"});
}

TEST_CASE("answers about parts become one") {
    struct Row {
        const char *whole, *part, *merged;
    };
    const Row rows[] = {
        {"null", R"({"a":1})", R"({"a":1})"},
        {R"({"a":1})", R"({"a":2,"b":3})", R"({"a":1,"b":3})"},
        {R"({"a":null,"b":""})", R"({"a":2,"b":"x"})", R"({"a":2,"b":"x"})"},
        {R"({"l":[{"x":1},{"x":2}]})", R"({"l":[{"x":2.0},{"x":3}]})", R"({"l":[{"x":1},{"x":2},{"x":3}]})"},
        {R"({"o":{"a":1}})", R"({"o":{"b":2}})", R"({"o":{"a":1,"b":2}})"},
        {R"({"a":1})", "[]", R"({"a":1})"},
    };
    for (const Row& row : rows) {
        json::value whole = json::parse(row.whole);
        merge_into(whole, json::parse(row.part));
        CHECK(json::serialize(whole) == row.merged);
    }
}
