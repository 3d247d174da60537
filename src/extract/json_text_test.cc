#include "extract/json_text.h"

#include <doctest/doctest.h>

using namespace quarry::extract;

TEST_CASE("JSON is indented and nothing else about it changes") {
    struct Row {
        const char* input;
        const char* expected;
    };
    const Row rows[] = {
        {R"({"b":1.0,"a":[1,"x, {y}\"",null]})",
         "{\n  \"b\": 1.0,\n  \"a\": [\n    1,\n    \"x, {y}\\\"\",\n    null\n  ]\n}"},
        {"{}", "{}"},
        {"[ ]", "[]"},
        {R"({"a":{}, "b":[[]]})", "{\n  \"a\": {},\n  \"b\": [\n    []\n  ]\n}"},
        {"12345678901234567890", "12345678901234567890"},
        {R"("é\u00e9")", R"("é\u00e9")"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.input);
        CHECK(pretty_json(row.input) == row.expected);
    }
}

TEST_CASE("what is not JSON, too deep or too large stays as it is") {
    const std::string deep = std::string(200, '[') + std::string(200, ']');
    const std::string large = "[" + std::string(300'000, ' ') + "]";
    for (const std::string& text : {std::string("{a:1}"), std::string("{} {}"), std::string(), deep, large}) {
        CHECK(pretty_json(text) == text);
    }
}

TEST_CASE("a fence is longer than any run of backticks in the text") {
    CHECK(fenced("x", "json") == "```json\nx\n```\n");
    CHECK(fenced("a\n```\nb\n", "") == "````\na\n```\nb\n````\n");
}
