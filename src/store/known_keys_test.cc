#include "store/known_keys.h"

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

TEST_CASE("when there are more keys than places, some are forgotten but the last is known") {
    KnownKeys known;
    const auto key = [](std::uint64_t number) { return UrlKey{number, ~number}; };
    int missing = 0;
    for (std::uint64_t number = 1; number <= 400'000; ++number) {
        known.add(GroupId{1}, key(number));
        missing += known.contains(GroupId{1}, key(number)) ? 0 : 1;
    }

    CHECK(missing == 0);
    int count = 0;
    for (std::uint64_t number = 1; number <= 400'000; ++number)
        count += known.contains(GroupId{1}, key(number));
    CHECK(count <= 262'144);
    CHECK(count > 100'000);
}

TEST_CASE("of 100,000 keys nearly all are known") {
    KnownKeys known;
    const auto key = [](std::uint64_t number) {
        return UrlKey{number * 0x9e3779b97f4a7c15ull, number * 0xc2b2ae3d27d4eb4full};
    };
    for (std::uint64_t number = 1; number <= 100'000; ++number) known.add(GroupId{1}, key(number));

    int count = 0;
    for (std::uint64_t number = 1; number <= 100'000; ++number)
        count += known.contains(GroupId{1}, key(number));
    CHECK(count > 97'000);
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
