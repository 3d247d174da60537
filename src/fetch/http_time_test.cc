#include "fetch/http_time.h"

#include <doctest/doctest.h>

using namespace quarry::fetch;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::sys_seconds example{784111777s};  // 1994-11-06 08:49:37

}  // namespace

TEST_CASE("the three standard forms of a date and their common misspellings are read") {
    for (const char* text :
         {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
          "06 Nov 1994 08:49:37", "Sun, 6 November 1994 8:49:37 +0000", "sun, 06-nov-1994 08:49:37 utc",
          "1994 Nov 06 08:49:37"})
        CHECK_MESSAGE(parse_http_date(text) == example, text);
}

TEST_CASE("what is not a date is not read as one") {
    for (const char* text :
         {"", "yesterday", "Sun, 06 Nov 1994", "08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT",
          "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
          "Sun, 06 Nov 1500 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 19944 08:49:37 GMT",
          "999999999999999999999", "\xff\xff"})
        CHECK_MESSAGE(!parse_http_date(text), text);
}

TEST_CASE("two-digit years lie between 1970 and 2069") {
    CHECK(parse_http_date("01 Jan 70 00:00:00") == std::chrono::sys_seconds{0s});
    CHECK(parse_http_date("01 Jan 69 00:00:00") > std::chrono::sys_seconds{0s});
    CHECK(parse_http_date("31 Dec 9999 23:59:59"));
}

TEST_CASE("Retry-After is a number of seconds or a date") {
    const auto wait = [](const char* text) { return parse_retry_after(text, example); };
    CHECK(wait("120") == 120s);
    CHECK(wait(" 0 ") == 0s);
    CHECK(wait("Sun, 06 Nov 1994 08:50:37 GMT") == 60s);
    CHECK(wait("Sun, 06 Nov 1994 08:00:00 GMT") == 0s);
    CHECK(wait("99999999999999999999999999") == std::chrono::hours(24 * 365));
    CHECK(wait("Fri, 31 Dec 9999 23:59:59 GMT") == std::chrono::hours(24 * 365));
    for (const char* text : {"", " ", "-5", "1.5", "soon", "120 seconds"}) CHECK_MESSAGE(!wait(text), text);
}

TEST_CASE("the Retry-After header of an answer is found whatever its case, and may be missing") {
    CHECK(retry_after({{"Server", "x"}, {"retry-after", "30"}}, example) == 30s);
    CHECK(retry_after({{"Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT"}}, example) == 60s);
    CHECK_FALSE(retry_after({{"Retry-After", "later"}}, example));
    CHECK_FALSE(retry_after({{"Server", "x"}}, example));
}
