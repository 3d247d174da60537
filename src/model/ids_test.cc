#include "model/ids.h"

#include <doctest/doctest.h>

using namespace quarry;

TEST_CASE("a public id is a UUID of version 7 and leads back to its number") {
    const Timestamp time(std::chrono::milliseconds(1'763'251'200'123));
    for (const std::int64_t number : {0ll, 1ll, 2ll, 77ll, 1ll << 31, (1ll << 62) - 1}) {
        const std::string id = public_id(number, time, 42);

        REQUIRE(id.size() == 36);
        CHECK(id[14] == '7');
        CHECK(std::string("89ab").find(id[19]) != std::string::npos);
        const auto parsed = parse_public_id(id, 42);
        REQUIRE(parsed);
        CHECK(parsed->number == number);
        CHECK(parsed->created_at == time);
    }
}

TEST_CASE("public ids sort by time and do not show their numbers") {
    const Timestamp time(std::chrono::milliseconds(1'763'251'200'123));

    CHECK(public_id(9, time, 42) < public_id(1, time + std::chrono::milliseconds(1), 42));
    CHECK(public_id(1, time, 42).substr(24) != public_id(2, time, 42).substr(24));
    CHECK(public_id(1, time, 42) != public_id(1, time, 43));
}

TEST_CASE("what is no id of this database is refused") {
    const std::string id = public_id(5, Timestamp(std::chrono::milliseconds(1'763'251'200'123)), 42);
    std::string mistyped = id;
    mistyped[3] = mistyped[3] == '0' ? '1' : '0';

    for (const std::string& text : {std::string(), std::string("5"), id.substr(1), mistyped, id + "0",
                                    std::string("00000000-0000-4000-8000-000000000000"),
                                    std::string("zzzzzzzz-zzzz-7zzz-8zzz-zzzzzzzzzzzz")}) {
        CHECK(parse_public_id(text, 42).error().code == ErrorCode::invalid_argument);
    }
}
