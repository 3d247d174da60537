#include "store/sqlite/known_keys.h"

#include <thread>

#include <doctest/doctest.h>

namespace quarry::store {

TEST_CASE("a key is known in the group it was added for, and in no other") {
    KnownKeys known;
    known.add(GroupId{1}, {10, 20});

    CHECK(known.contains(GroupId{1}, {10, 20}));
    CHECK_FALSE(known.contains(GroupId{2}, {10, 20}));
    CHECK_FALSE(known.contains(GroupId{1}, {10, 21}));
}

TEST_CASE("keys that want the same place replace each other, and are then not known") {
    KnownKeys known;
    const UrlKey first{0, 5}, second{std::uint64_t{1} << 18, 5};
    known.add(GroupId{0}, first);
    known.add(GroupId{0}, second);

    CHECK_FALSE(known.contains(GroupId{0}, first));
    CHECK(known.contains(GroupId{0}, second));
}

TEST_CASE("nothing is known any more after clearing") {
    KnownKeys known;
    known.add(GroupId{1}, {10, 20});
    known.clear();

    CHECK_FALSE(known.contains(GroupId{1}, {10, 20}));
}

TEST_CASE("many may ask while one adds, and never get a wrong yes") {
    KnownKeys known;
    std::jthread adding([&] {
        for (std::uint64_t key = 1; key < 100'000; ++key) known.add(GroupId{1}, {key * 2654435761u, key});
    });
    int wrong = 0;
    for (std::uint64_t key = 1; key < 100'000; ++key) {
        wrong += known.contains(GroupId{1}, {key * 2654435761u, key + 200'000}) ? 1 : 0;
    }

    CHECK(wrong == 0);
}

}  // namespace quarry::store
