#include "model/json/fields.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
namespace json = boost::json;

TEST_CASE("a time is read as it is written, and nothing else is") {
    struct {
        const char* text;
        bool is_time;
    } const cases[] = {
        {"2026-01-30T15:00:00.010Z", true},
        {"1970-01-01T00:00:00.000Z", true},
        {"2024-02-29T23:59:59.999Z", true},
        {"2023-02-29T00:00:00.000Z", false},  // no leap year
        {"2026-13-01T00:00:00.000Z", false},
        {"2026-01-30T24:00:00.000Z", false},
        {"2026-01-30T15:00:60.000Z", false},
        {"2026-01-30T15:00:00Z", false},
        {"2026-01-30 15:00:00.000Z", false},
        {"-026-01-30T15:00:00.000Z", false},
        {"", false},
    };
    for (const auto& [text, is_time] : cases) {
        CAPTURE(text);
        const auto time = parse_iso_time(text);
        CHECK(time.has_value() == is_time);
        if (time) CHECK(iso_time(*time) == text);
    }
}

TEST_CASE("a number in hex is sixteen digits") {
    CHECK(hex_of(255) == "00000000000000ff");
    CHECK(parse_hex("ffffffffffffffff") == ~std::uint64_t{0});
    for (const char* text : {"", "ff", "00000000000000fg", "00000000000000ff0", "-0000000000000ff"})
        CHECK_FALSE(parse_hex(text));
}

TEST_CASE("a field that is missing or null keeps its value, one of another kind is named") {
    const json::object object = json::parse(R"({"a": null, "b": "text", "c": 7})").as_object();
    FieldReader reader(object);
    int a = 1, b = 2, c = 3, d = 4;

    reader("a", a);
    reader("b", b);
    reader("c", c);
    reader("d", d);

    CHECK(a == 1);
    CHECK(b == 2);
    CHECK(c == 7);
    CHECK(d == 4);
    const auto finished = reader.finish("a thing");
    REQUIRE_FALSE(finished);
    CHECK(finished.error().code == ErrorCode::corrupt);
    CHECK(finished.error().message == R"(the "b" of a thing cannot be read)");
}

TEST_CASE("what took longer than anything can is no time") {
    for (const char* text : {R"({"t": 1e300})", R"({"t": -1e300})", R"({"t": "1"})"}) {
        CAPTURE(text);
        const json::object object = json::parse(text).as_object();
        FieldReader reader(object);
        std::chrono::microseconds took{};
        reader("t", took);
        CHECK_FALSE(reader.finish("a thing"));
    }
}
