#include <doctest/doctest.h>

#include "model/json/fields.h"

using namespace quarry;
namespace json = boost::json;

TEST_CASE("an answer is read whatever it is") {
    const json::value good = {
        {"text", "a"}, {"number", 7}, {"flag", true}, {"list", {1, 2}}, {"double", 2.0}};
    CHECK(text_in(good, "text") == "a");
    CHECK(number_in(good, "number") == 7);
    CHECK(number_in(good, "double") == 2);
    CHECK(flag_in(good, "flag") == true);
    CHECK(list_in(good, "list")->size() == 2);
    CHECK(answered_number(good, "number").value() == 7);
    CHECK(answered_flag(good, "flag").value());

    const char* answers[] = {"null",
                             "true",
                             "7",
                             "2.5",
                             "\"text\"",
                             "[]",
                             "[{}]",
                             "{}",
                             "{\"x\":null}",
                             "{\"x\":[]}",
                             "{\"x\":{}}",
                             "{\"x\":2.5}",
                             "{\"x\":1e300}",
                             "{\"x\":18446744073709551615}"};
    for (const char* text : answers) {
        CAPTURE(text);
        const json::value answer = json::parse(text);
        CHECK(text_in(answer, "x").empty());
        CHECK_FALSE(number_in(answer, "x"));
        CHECK_FALSE(flag_in(answer, "x"));
        CHECK(answered_number(answer, "x").error().code == ErrorCode::corrupt);
        CHECK(answered_flag(answer, "x").error().code == ErrorCode::corrupt);
        CHECK(answered_object(answer).has_value() == answer.is_object());
    }
}
