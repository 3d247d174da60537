#include <doctest/doctest.h>

#include "search/candidates.h"

using namespace quarry;
using search::fuse_ranks;
using search::fuse_scores;
using search::Leg;
using Ranking = std::vector<index::Scored>;

namespace {

index::Scored chunk(int page, float score) {
    return {.chunk = {.page = PageId{page}, .index = 0}, .score = score};
}

std::vector<int> pages(const Ranking& ranking) {
    std::vector<int> result;
    for (const index::Scored& hit : ranking) result.push_back(static_cast<int>(hit.chunk.page));
    return result;
}

using Pages = std::vector<int>;

}  // namespace

TEST_CASE("scores are spread between a leg's best and its last before they are weighed") {
    const Ranking words{chunk(1, 20), chunk(2, 15), chunk(3, 10)};
    const Ranking vectors{chunk(3, 0.9F), chunk(2, 0.7F), chunk(4, 0.4F)};

    const Ranking fused = fuse_scores(std::vector<Leg>{{words, 0.7F}, {vectors, 0.3F}});

    REQUIRE(pages(fused) == Pages{1, 2, 3, 4});
    CHECK(fused[0].score == doctest::Approx(0.7));
    CHECK(fused[1].score == doctest::Approx(0.7 * 0.5 + 0.3 * 0.6));
    CHECK(fused[2].score == doctest::Approx(0.3));
    CHECK(fused[3].score == doctest::Approx(0));
}

TEST_CASE("fusing scores table") {
    struct Row {
        Ranking words, vectors;
        Pages expected;
        const char* why;
    };
    const std::vector<Row> rows{
        {{}, {}, {}, "nothing was found"},
        {{chunk(7, 3)}, {}, {7}, "one leg alone"},
        {{}, {chunk(7, 0.2F), chunk(8, 0.1F)}, {7, 8}, "the other alone"},
        {{chunk(2, 5), chunk(1, 5)}, {}, {1, 2}, "a tie is broken the same way each time"},
        {{chunk(1, 5), chunk(2, 1)}, {chunk(2, -0.1F), chunk(1, -0.9F)}, {1, 2}, "cosines may be negative"},
        {{chunk(9, 4)}, {chunk(8, 0.5F)}, {9, 8}, "an only hit is its leg's best"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);

        const Ranking fused = fuse_scores(std::vector<Leg>{{row.words, 0.7F}, {row.vectors, 0.3F}});

        CHECK(pages(fused) == row.expected);
    }
}

TEST_CASE("ranks count by their place alone, whatever the scores") {
    const Ranking words{chunk(1, 1'000), chunk(2, 1)};
    const Ranking vectors{chunk(2, 0.9F), chunk(3, 0.89F), chunk(1, 0.1F)};

    const Ranking fused = fuse_ranks(std::vector<Leg>{{words, 1}, {vectors, 1}});

    REQUIRE(pages(fused) == Pages{2, 1, 3});
    CHECK(fused[0].score == doctest::Approx(1.0 / 62 + 1.0 / 61));
    CHECK(fused[1].score == doctest::Approx(1.0 / 61 + 1.0 / 63));
    CHECK(fused[2].score == doctest::Approx(1.0 / 62));
}

TEST_CASE("a leg that counts more decides between equal ranks") {
    const Ranking words{chunk(1, 2)}, vectors{chunk(2, 1)};

    CHECK(pages(fuse_ranks(std::vector<Leg>{{words, 1}, {vectors, 2}})) == Pages{2, 1});
    CHECK(pages(fuse_ranks(std::vector<Leg>{{words, 2}, {vectors, 1}})) == Pages{1, 2});
    CHECK(fuse_ranks({}).empty());
}
