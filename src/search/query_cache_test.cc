#include "search/query_cache.h"

#include <thread>

#include <doctest/doctest.h>

using quarry::search::QueryCache;
using Vector = std::vector<float>;

TEST_CASE("a query's vector is remembered") {
    QueryCache cache;

    cache.put({.collection = "docs", .query = "install"}, {1, 2});

    CHECK(cache.find({.collection = "docs", .query = "install"}) == Vector{1, 2});
    CHECK_FALSE(cache.find({.collection = "docs", .query = "uninstall"}));
}

TEST_CASE("vectors of other collections, models and states of a model are not mixed up") {
    QueryCache cache;
    const QueryCache::Key key{"docs", {"tei", "bge", 384, "abc"}, "install"};
    cache.put(key, {1});

    QueryCache::Key other = key;
    other.collection = "docs2";
    CHECK_FALSE(cache.find(other));
    other = key;
    other.embedder.model = "e5";
    CHECK_FALSE(cache.find(other));
    other = key;
    other.embedder.version = "abd";
    CHECK_FALSE(cache.find(other));
    other = key;
    other.embedder.dimensions = 385;
    CHECK_FALSE(cache.find(other));
    CHECK(cache.find(key));
}

TEST_CASE("the vector that was not used for longest makes room") {
    QueryCache cache(2);
    cache.put({.query = "a"}, {1});
    cache.put({.query = "b"}, {2});

    CHECK(cache.find({.query = "a"}));
    cache.put({.query = "c"}, {3});

    CHECK(cache.find({.query = "a"}));
    CHECK_FALSE(cache.find({.query = "b"}));
    CHECK(cache.find({.query = "c"}));
}

TEST_CASE("a vector that is put again replaces the former one") {
    QueryCache cache(2);
    cache.put({.query = "a"}, {1});
    cache.put({.query = "b"}, {2});

    cache.put({.query = "a"}, {9});

    CHECK(cache.find({.query = "a"}) == Vector{9});
    CHECK(cache.find({.query = "b"}) == Vector{2});
}

TEST_CASE("many threads ask at once") {
    QueryCache cache(8);
    const auto ask = [&] {
        for (int i = 0; i < 2'000; ++i) {
            const std::string query = std::to_string(i % 16);
            if (!cache.find({.query = query})) cache.put({.query = query}, {static_cast<float>(i % 16)});
        }
    };
    {
        const std::jthread one(ask), two(ask);
    }

    cache.put({.query = "3"}, {3});
    CHECK(cache.find({.query = "3"}) == Vector{3});
}
