#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/guarded.h"
#include "base/suggest.h"
#include "base/units.h"

using namespace quarry;
using namespace std::chrono_literals;

TEST_CASE("a duration is read with its unit, and a bare number means seconds") {
    CHECK(parse_duration("250ms").value() == 250ms);
    CHECK(parse_duration("10").value() == 10s);
    CHECK(parse_duration("1.5m").value() == 90s);
    CHECK(parse_duration("2 h").value() == 2h);
    CHECK(parse_duration("0").value() == 0s);
}

TEST_CASE("what is not a duration is refused with an example of one") {
    for (const char* text : {"", "soon", "-1s", "10 parsecs", "nan", "1e300h", "s"}) {
        const auto result = parse_duration(text);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::invalid_argument);
        CHECK(result.error().message.find("500ms") != std::string::npos);
    }
}

TEST_CASE("a size is read in powers of 1024 and written back the shortest way") {
    CHECK(parse_bytes("100").value() == 100);
    CHECK(parse_bytes("64KB").value() == 64 * 1024);
    CHECK(parse_bytes("50mb").value() == 50 * 1024 * 1024);
    CHECK(parse_bytes("1.5G").value() == 1536ULL * 1024 * 1024);
    CHECK_FALSE(parse_bytes("big"));
    CHECK(format_bytes(50 * 1024 * 1024) == "50MB");
    CHECK(format_bytes(1000) == "1000");
    CHECK(format_bytes(3ULL << 30) == "3GB");
}

TEST_CASE("a number outside its range is refused") {
    CHECK(parse_number("5", 1, 10).value() == 5);
    CHECK_FALSE(parse_number("11", 1, 10));
    CHECK_FALSE(parse_number("5x", 1, 10));
    CHECK_FALSE(parse_number("", 1, 10));
}

TEST_CASE("a mistyped word finds its neighbour, and a strange one finds nothing") {
    const std::vector<std::string> words = {"scrape", "convert", "map", "robots", "--store", "--listen"};
    CHECK(nearest_word("scarpe", words) == "scrape");
    CHECK(nearest_word("convret", words) == "convert");
    CHECK(nearest_word("mpa", words) == "map");
    CHECK(nearest_word("--sotre", words) == "--store");
    CHECK(nearest_word("elephant", words).empty());
    CHECK(nearest_word("--port", words).empty());
    CHECK(nearest_word(std::string(10'000, 'x'), words).empty());
}

TEST_CASE("a guarded value is reached only through its lock") {
    Guarded<int> counter(1);
    counter.with([](int& value) { ++value; });
    CHECK(counter.with([](int& value) { return value; }) == 2);
}

TEST_CASE("base64 leads back to the bytes it was made of") {
    CHECK(encode_base64("").empty());
    CHECK(encode_base64("f") == "Zg==");
    CHECK(encode_base64("fo") == "Zm8=");
    CHECK(encode_base64("foo") == "Zm9v");
    const std::string bytes("\0\xff\x89PNG", 6);
    CHECK(decode_base64(encode_base64(bytes)) == bytes);
}
