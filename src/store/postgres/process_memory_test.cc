#include "store/postgres/process_memory.h"

#include <vector>

#include <doctest/doctest.h>

namespace quarry::store::postgres {

using namespace std::chrono_literals;

TEST_CASE("nobody's limit is known to be far before it was asked for") {
    const OwnerRoom room;

    CHECK_FALSE(room.is_ample(1));
}

TEST_CASE("who is far from a limit is not counted again at each claim, and who is near is") {
    OwnerRoom room;
    const OwnerRoom::Time now = std::chrono::steady_clock::now();

    room.set(100'000, 4, now);

    CHECK(room.is_ample(250, now + 10ms));
    CHECK_FALSE(room.is_ample(1'000, now + 10ms));
    room.set(-5, 4, now);
    CHECK_FALSE(room.is_ample(1, now + 10ms));
}

TEST_CASE("what is known of limits is soon forgotten") {
    OwnerRoom room;
    const OwnerRoom::Time now = std::chrono::steady_clock::now();

    room.set(1'000'000, 2, now);

    CHECK_FALSE(room.is_ample(1, now + 1s));
}

TEST_CASE("a limit that is near from the start need not be looked at") {
    CHECK(OwnerRoom::could_be_ample(1'000, 5));
    CHECK_FALSE(OwnerRoom::could_be_ample(1'000, 20));
}

TEST_CASE("who may add many more jobs is not counted again at each") {
    OpenRoom room;
    const OpenRoom::Time now = std::chrono::steady_clock::now();
    const std::vector<std::int64_t> one = {1}, both = {1, 2};

    room.set(1, 100'000, now);

    CHECK(room.is_ample(one, 100, now + 10ms));
    CHECK_FALSE(room.is_ample(one, 1'000, now + 10ms));
    CHECK_FALSE(room.is_ample(both, 1, now + 10ms));
    CHECK_FALSE(room.is_ample(one, 1, now + 1s));
    room.set(2, 100, now);
    CHECK_FALSE(room.is_ample(both, 1, now + 10ms));
}

}  // namespace quarry::store::postgres
