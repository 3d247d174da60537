#include "browser/message.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::browser;

TEST_CASE("a message is an answer or an event, and nothing else") {
    struct Row {
        std::string text;
        bool is_message;
        const char* reason;
    };
    const Row rows[] = {
        {R"({"id":1,"result":{}})", true, "an answer"},
        {R"({"id":1,"error":{"code":-32000,"message":"no"}})", true, "an answer that says no"},
        {R"({"id":1})", true, "an answer without content"},
        {R"({"method":"Page.loadEventFired","params":{"timestamp":1}})", true, "an event"},
        {R"({"method":"Page.loadEventFired","sessionId":"A"})", true, "an event of a session"},
        {R"({"id":1,"method":"Page.enable"})", false, "a command: the browser sends none"},
        {R"({"id":"1","result":{}})", false, "an id that is no number"},
        {R"({"id":1.5,"result":{}})", false, "half an id"},
        {R"({"result":{}})", false, "an answer to nothing"},
        {R"([1])", false, "no object"},
        {R"()", false, "nothing"},
        {R"({"id":1,"result":{})", false, "cut short"},
        {R"({"id":1}{"id":2})", false, "two"},
        {R"({"id":1,"result":{"a":)" + std::string(100, '[') + std::string(100, ']') + "}}", false,
         "too deep"},
        {"{\"method\":\"a\",\"params\":{\"text\":\"\xed\xa0\x80\"}}", true, "half a character of a page's"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(parse_message(row.text).has_value() == row.is_message);
    }
}

TEST_CASE("what the browser says instead of an answer is kept short") {
    const auto message =
        parse_message(R"({"id":7,"error":{"message":")" + std::string(5'000, 'x') + "\"}}").value();

    CHECK(message.id == 7);
    REQUIRE(message.error);
    CHECK(message.error->message.size() == 300);
}

TEST_CASE("fields of another type than expected are as good as none") {
    const auto message =
        parse_message(R"({"method":"m","params":{"a":1,"b":"x","c":{"d":true},"e":1e400}})").value();

    CHECK(text_at(message.content, "a") == "");
    CHECK(number_at(message.content, "b") == 0);
    CHECK(object_at(message.content, "b").empty());
    CHECK(flag_at(object_at(message.content, "c"), "d"));
    CHECK_FALSE(flag_at(message.content, "a"));
}

TEST_CASE("an answer that is too long to be read is known by its beginning") {
    CHECK(id_of_beginning(R"({"id":12,"result":{"data":"AAAA)") == 12);
    CHECK_FALSE(id_of_beginning(R"({"id":12)"));
    CHECK_FALSE(id_of_beginning(R"({"method":"Page.x","params":{"id":12,)"));
    CHECK_FALSE(id_of_beginning(R"({"id":99999999999999999999,)"));
}
