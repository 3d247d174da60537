#include <doctest/doctest.h>

#include "store/postgres/writing/leasing.h"

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon{std::chrono::milliseconds(1'000'000)};
constexpr LastLook::Time begin{std::chrono::seconds(100)};

}  // namespace

TEST_CASE("what nobody has looked at is not known") {
    CHECK_FALSE(LastLook().at(noon, begin));
}

TEST_CASE("a look is believed for a moment, and says no later than that to look again") {
    LastLook look;
    look.set({.next = noon + 1h, .has_backlog = true}, begin);

    const auto due = look.at(noon, begin + LastLook::lives - 1ms);

    REQUIRE(due);
    CHECK(due->has_backlog);
    CHECK(due->next == noon + LastLook::lives);
    CHECK_FALSE(look.at(noon, begin + LastLook::lives));
}

TEST_CASE("what is due, or becomes due meanwhile, is looked at") {
    LastLook look;
    look.set({.next = noon + 10ms}, begin);
    CHECK(look.at(noon + 9ms, begin)->next == noon + 10ms);
    CHECK_FALSE(look.at(noon + 10ms, begin));

    look.set({.now = true}, begin);
    CHECK_FALSE(look.at(noon, begin));
}

}  // namespace quarry::store::postgres
