#include "store/postgres/owner_room.h"

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

}  // namespace quarry::store::postgres
