#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "api/server/fields.h"

using namespace quarry;
using namespace quarry::api;

namespace {

std::string many(std::string_view what, std::size_t times) {
    std::string text = "{\"a\":[";
    for (std::size_t i = 0; i < times; ++i) {
        if (i > 0) text += ',';
        text += what;
    }
    return text + "]}";
}

}  // namespace

TEST_CASE("a body is an object, or nothing") {
    CHECK(parse_json_object("")->empty());
    CHECK(parse_json_object(R"({"a":1})")->at("a") == 1);
    CHECK(parse_json_object("[]").error().code == ErrorCode::invalid_argument);
    CHECK(parse_json_object("{").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a body of very many values, which would take many times its size, is too large") {
    CHECK(parse_json_object(many("[0]", 1'000'000)).error().code == ErrorCode::too_large);
    CHECK(parse_json_object(many("{}", 1'000'000)).error().code == ErrorCode::too_large);
    CHECK(parse_json_object(many("[0]", 100'000)));
}

TEST_CASE("what stands in texts counts as one value, whatever it is") {
    const std::string commas(3'000'000, ',');

    CHECK(parse_json_object("{\"a\":\"" + commas + "\"}"));
    CHECK(parse_json_object("{\"a\":\"\\\"" + commas + "\\\\\"}"));
}
