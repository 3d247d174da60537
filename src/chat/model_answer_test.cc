#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "chat/model.h"

using quarry::ErrorCode;
using namespace quarry::chat;
namespace json = boost::json;

TEST_CASE("what a model said is found in its server's answer") {
    struct Row {
        const char *body, *text, *reason;
    };
    const Row rows[] = {
        {R"({"choices":[{"message":{"content":"hi"}}]})", "hi", "plain"},
        {R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]})", "ab",
         "in pieces"},
        {R"({"choices":[{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{}"}}]}}]})", "{}",
         "a tool call"},
        {R"({"choices":[{"message":{"content":"x","tool_calls":[]}}]})", "x", "no tool was called"},
        {R"({"choices":[{"message":{"content":7}}]})", "", "no words"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(parse_model_answer(row.body).value().text == row.text);
    }
    CHECK(parse_model_answer(R"({"choices":[{"finish_reason":"length","message":{"content":"x"}}]})")
              .value()
              .was_cut);
}

TEST_CASE("what is no answer of a model is told") {
    for (const char* body :
         {"", "{}", "[]", R"({"choices":[]})", R"({"choices":[{}]})", R"({"choices":{"message":1}})"}) {
        CAPTURE(body);
        CHECK(parse_model_answer(body).error().code == ErrorCode::corrupt);
    }
    CHECK(parse_model_answer(std::string(100, '[')).error().code == ErrorCode::corrupt);
    CHECK(parse_model_answer(R"({"choices":[{"message":{"content":null,"refusal":"no"}}]})").error().code ==
          ErrorCode::refused);
}

TEST_CASE("JSON is found in what a model says") {
    struct Row {
        const char *text, *value, *reason;
    };
    const Row rows[] = {
        {R"({"a":1})", R"({"a":1})", "nothing else"},
        {"```json\n{\"a\":1}\n```", R"({"a":1})", "in a fence"},
        {"Here it is: [1,2]. Enjoy!", "[1,2]", "between words"},
        {"<think>maybe {\"a\":2}?</think>{\"a\":1}", R"({"a":1})", "after thoughts"},
        {"{oops} {\"a\":1}", R"({"a":1})", "after something broken"},
        {"{\"a\":", "none", "cut off"},
        {"no idea", "none", "words only"},
        {"", "none", "nothing"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const auto found = json_in(row.text);
        CHECK((found ? json::serialize(*found) : "none") == row.value);
    }
    CHECK(!json_in(std::string(1'000, '{')));
}
