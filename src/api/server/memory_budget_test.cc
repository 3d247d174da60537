#include "api/server/memory_budget.h"

#include <doctest/doctest.h>

#include "api/server/follower.h"

using namespace quarry::api;
using BudgetRoom = MemoryBudget::Room;

TEST_CASE("a budget is bounded in all and for each owner, and what is let go is there again") {
    const auto budget = std::make_shared<MemoryBudget>(100, 60);
    auto first = budget->share_of("one"), second = budget->share_of("one");

    CHECK(first.grow_to(50) == BudgetRoom::enough);
    CHECK(second.grow_to(20) == BudgetRoom::none_for_owner);
    CHECK(second.bytes() == 0);
    {
        auto other = budget->share_of("two");
        CHECK(other.grow_to(50) == BudgetRoom::enough);
        CHECK(second.grow_to(10) == BudgetRoom::none);
        CHECK(budget->used() == 100);
    }
    CHECK(second.grow_to(10) == BudgetRoom::enough);
    first.shrink_to(5);
    auto moved = std::move(first);
    CHECK(budget->used() == 15);
    moved.shrink_to(0);
    second.shrink_to(0);
    CHECK(budget->used() == 0);
}

TEST_CASE("who holds nothing may have one thing that is larger than an owner's part") {
    const auto budget = std::make_shared<MemoryBudget>(100, 10);
    auto share = budget->share_of("one");

    CHECK(share.grow_to(90) == BudgetRoom::enough);
    CHECK(share.grow_to(91) == BudgetRoom::none_for_owner);
    CHECK(budget->share_of("two").grow_to(101) == BudgetRoom::none);
}

TEST_CASE("what followers have not read counts against their owner until it is sent") {
    const auto budget = std::make_shared<MemoryBudget>(100, 30);
    FollowerQueue first(1'000, [] {}, budget->share_of("one")), second(1'000, [] {}, budget->share_of("one"));

    first.send(std::string(20, 'x'));
    second.send(std::string(20, 'y'));
    CHECK_FALSE(second.is_open());
    CHECK(first.take().messages.size() == 1);
    CHECK(budget->used() == 20);
    first.take();
    CHECK(budget->used() == 0);
}
