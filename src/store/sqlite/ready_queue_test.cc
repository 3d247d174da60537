#include <vector>

#include <doctest/doctest.h>

#include "store/sqlite/queues.h"

namespace quarry::store {

namespace {

constexpr int kind = 1;

std::vector<std::int64_t> pop_all(ReadyQueue& queue) {
    std::vector<std::int64_t> ids;
    while (const auto taken = queue.pop(kind)) ids.push_back(taken->id);
    return ids;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("ids of one line come in their order, however many") {
    ReadyQueue queue;
    Ids expected;
    for (std::int64_t id = 1; id <= 5'000; ++id) {
        queue.push({.kind = kind, .owner = 1}, id);
        expected.push_back(id);
    }

    CHECK(pop_all(queue) == expected);
    CHECK_FALSE(queue.pop(kind));
}

TEST_CASE("a taken id knows the priority of its line") {
    ReadyQueue queue;
    queue.push({.kind = kind, .priority = 7, .owner = 1}, 1);

    CHECK(queue.pop(kind)->priority == 7);
}

TEST_CASE("owners take turns, and within an owner its groups do") {
    ReadyQueue queue;
    for (const std::int64_t id : {1, 2, 3}) queue.push({.kind = kind, .owner = 1, .group = 10}, id);
    for (const std::int64_t id : {4, 5}) queue.push({.kind = kind, .owner = 1, .group = 11}, id);
    for (const std::int64_t id : {6, 7}) queue.push({.kind = kind, .owner = 2}, id);

    CHECK(pop_all(queue) == Ids{1, 6, 4, 7, 2, 5, 3});
}

TEST_CASE("an owner who keeps adding groups does not keep another's old ones waiting") {
    ReadyQueue queue;
    queue.push({.kind = kind, .owner = 1, .group = 1}, 1);
    queue.push({.kind = kind, .owner = 1, .group = 1}, 2);
    Ids taken;
    for (std::int64_t id = 3; id < 8; ++id) {
        queue.push({.kind = kind, .owner = 1, .group = id}, id);
        taken.push_back(queue.pop(kind)->id);
    }

    CHECK(taken == Ids{1, 3, 2, 4, 5});
}

TEST_CASE("one claim in sixteen takes the oldest, whatever its priority") {
    ReadyQueue queue;
    queue.push({.kind = kind, .priority = 9, .owner = 1}, 1);
    for (std::int64_t id = 2; id < 40; ++id) queue.push({.kind = kind, .priority = 1, .owner = 2}, id);

    const Ids ids = pop_all(queue);

    CHECK(ids.size() == 39);
    CHECK(ids[15] == 1);
}

TEST_CASE("the oldest of all is not taken from a closed owner or a held group") {
    ReadyQueue queue;
    queue.push({.kind = kind, .priority = 9, .owner = 1}, 1);
    queue.push({.kind = kind, .priority = 9, .owner = 2, .group = 5}, 2);
    for (std::int64_t id = 3; id < 40; ++id) queue.push({.kind = kind, .priority = 1, .owner = 2}, id);
    queue.close_owner(1);
    queue.hold_group(5);

    CHECK(pop_all(queue).size() == 37);

    queue.open_owner(1);
    queue.release_group(5);
    CHECK(pop_all(queue) == Ids{1, 2});
}

TEST_CASE("jobs that come while their owner is closed wait until it is open") {
    ReadyQueue queue;
    queue.close_owner(1);
    queue.push({.kind = kind, .owner = 1}, 1);
    CHECK_FALSE(queue.pop(kind));

    queue.open_owner(1);

    CHECK(pop_all(queue) == Ids{1});
}

TEST_CASE("an owner that is closed and opened while it waits its turn is not served twice") {
    ReadyQueue queue;
    queue.push({.kind = kind, .owner = 1}, 1);
    queue.push({.kind = kind, .owner = 1}, 2);
    queue.push({.kind = kind, .owner = 2}, 3);
    queue.close_owner(1);
    queue.open_owner(1);

    CHECK(pop_all(queue) == Ids{1, 3, 2});
}

TEST_CASE("a dropped group is forgotten, and may come again") {
    ReadyQueue queue;
    queue.hold_group(5);
    for (const std::int64_t id : {1, 2}) queue.push({.kind = kind, .owner = 1, .group = 5}, id);
    queue.push({.kind = kind, .owner = 1}, 3);
    queue.drop_group(5);
    CHECK(pop_all(queue) == Ids{3});

    queue.push({.kind = kind, .owner = 1, .group = 5}, 4);

    CHECK(pop_all(queue) == Ids{4});
}

TEST_CASE("kinds do not mix") {
    ReadyQueue queue;
    queue.push({.kind = kind, .owner = 1}, 1);

    CHECK_FALSE(queue.pop(2));
    CHECK(queue.pop(kind)->id == 1);
}

}  // namespace quarry::store
