#include "embed/space/space_feedback.h"

#include <cmath>

#include <doctest/doctest.h>

using quarry::embed::FeedbackChunk;
using quarry::embed::lean_towards;
using Vector = std::vector<float>;
using Chunks = std::vector<FeedbackChunk>;

TEST_CASE("a query leans towards the middle of the chunks, and stays nearer to itself") {
    const Vector leaning = lean_towards(Vector{1, 0, 0}, Chunks{{{0, 1, 0}, 5}, {{0, 0, 1}, 5}});

    REQUIRE(leaning.size() == 3);
    CHECK(leaning[0] > leaning[1]);
    CHECK(leaning[1] > 0);
    CHECK(leaning[1] == doctest::Approx(leaning[2]));
    CHECK(std::hypot(leaning[0], leaning[1], leaning[2]) == doctest::Approx(1));
}

TEST_CASE("however many chunks there are, their share is the same") {
    const Vector one = lean_towards(Vector{1, 0}, Chunks{{{0, 1}, 7}});
    const Vector three = lean_towards(Vector{1, 0}, Chunks{{{0, 1}, 2}, {{0, 1}, 2}, {{0, 1}, 1}});

    CHECK(one[0] == doctest::Approx(three[0]));
    CHECK(one[1] == doctest::Approx(three[1]));
}

TEST_CASE("without chunks a query is as it was, without a query the chunks stand for it") {
    CHECK(lean_towards(Vector{0, 1}, {}) == Vector{0, 1});
    CHECK(lean_towards(Vector{0, 1}, Chunks{{{}, 1}}) == Vector{0, 1});
    CHECK(lean_towards({}, Chunks{{{}, 2}, {{3, 4}, 1}}) == Vector{0.6F, 0.8F});
    CHECK(lean_towards({}, {}).empty());
    CHECK(lean_towards({}, Chunks{{{}, 1}, {{}, 1}}).empty());
}

TEST_CASE("chunks that cancel each other out change nothing") {
    CHECK(lean_towards(Vector{0, 1}, Chunks{{{1, 0}, 1}, {{-1, 0}, 1}}) == Vector{0, 1});
}

TEST_CASE("a better chunk draws more") {
    const Vector leaning = lean_towards(Vector{1, 0, 0}, Chunks{{{0, 1, 0}, 10}, {{0, 0, 1}, 5}});

    CHECK(leaning[1] > 4 * leaning[2]);
    CHECK(leaning[2] > 0);
}

TEST_CASE("scores of nothing make all chunks equal") {
    const Vector leaning = lean_towards({}, Chunks{{{1, 0}, 0}, {{0, 1}, 0}});

    CHECK(leaning[0] == doctest::Approx(leaning[1]));
}
