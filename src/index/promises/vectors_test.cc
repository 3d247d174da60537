// What every index promises of vectors: the nearest are found, and vectors of two models never meet.
#include <cmath>
#include <random>

#include "index/promises/backend.h"

namespace quarry::index::promises {

namespace {

std::vector<float> random_vector(std::mt19937& random, int dimensions) {
    std::normal_distribution<float> normal;
    std::vector<float> vector(static_cast<std::size_t>(dimensions));
    for (float& value : vector) value = normal(random);
    return vector;
}

}  // namespace

TEST_CASE_TEMPLATE("the nearest come first, by the angle alone", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(3);
    backend.put(page_of(1, {chunk_of("a", {1, 0, 0}), chunk_of("b", {0, 5, 0})}));
    backend.put(page_of(2, {chunk_of("c", {1, 1, 0})}));

    const auto found = backend.index->nearest("default", std::vector<float>{2, 1, 0}, {}, 10).value();

    REQUIRE(found.size() == 3);
    CHECK(found[0].chunk == ref(2, 0));
    CHECK(found[0].score == doctest::Approx(3 / std::sqrt(10.0)).epsilon(0.01));
    CHECK(found[1].chunk == ref(1, 0));
    CHECK(found[2].chunk == ref(1, 1));
    CHECK(backend.facts().vectors == 3);
}

TEST_CASE_TEMPLATE("chunks without a vector are found by their words alone", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    backend.put(page_of(1, {chunk_of("alpha", {1, 0}), chunk_of("beta")}));

    CHECK(backend.nearest({1, 0}) == std::vector{ref(1, 0)});
    CHECK(backend.match("beta") == std::vector{ref(1, 1)});
    CHECK(backend.facts().vectors == 1);
}

TEST_CASE_TEMPLATE("a vector goes with its chunk", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    backend.put(page_of(1, {chunk_of("alpha", {1, 0})}, 1));
    backend.put(page_of(2, {chunk_of("alpha", {0, 1})}, 2));

    backend.put(page_of(1, {chunk_of("alpha")}, 3));
    backend.remove(2, 4);

    CHECK(backend.nearest({1, 0}).empty());
    CHECK(backend.facts().vectors == 0);
}

TEST_CASE_TEMPLATE("vectors are given back for an export", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    backend.put(page_of(1, {chunk_of("alpha", {3, 4}), chunk_of("beta")}));

    const std::vector<ChunkRef> wanted{ref(1, 1), ref(1, 0), ref(2, 0)};
    const auto vectors = backend.index->vectors("default", wanted).value();

    REQUIRE(vectors.size() == 3);
    CHECK(vectors[0].empty());
    REQUIRE(vectors[1].size() == 2);
    CHECK(vectors[1][0] == doctest::Approx(0.6).epsilon(0.01));
    CHECK(vectors[1][1] == doctest::Approx(0.8).epsilon(0.01));
    CHECK(vectors[2].empty());
}

TEST_CASE_TEMPLATE("vectors of other dimensions are refused, and nothing is changed", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    backend.put(page_of(1, {chunk_of("alpha", {1, 0})}));

    std::vector<IndexedPage> pages;
    pages.push_back(page_of(2, {chunk_of("beta", {1, 0})}));
    pages.push_back(page_of(3, {chunk_of("gamma", {1, 0, 0})}));
    const auto refused = backend.index->replace("default", std::move(pages));

    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::conflict);
    CHECK(backend.match("beta gamma").empty());
    CHECK(backend.facts().chunks == 1);
    backend.put(4, {"after"});
    CHECK(backend.match("after") == std::vector{ref(4, 0)});
}

TEST_CASE_TEMPLATE("the same embedder again keeps the vectors, another one's start from nothing", Backend,
                   EVERY_INDEX) {
    Backend backend;
    backend.use_service(2, "first");
    backend.put(page_of(1, {chunk_of("alpha", {1, 0})}));

    backend.use_service(2, "first");
    CHECK(backend.facts().vectors == 1);
    backend.use_service(3, "second");

    CHECK(backend.facts().vectors == 0);
    CHECK(backend.facts().embedder.model == "second");
    CHECK(backend.match("alpha") == std::vector{ref(1, 0)});
    backend.put(page_of(1, {chunk_of("alpha", {0, 0, 1})}, 2));
    CHECK(backend.nearest({0, 0, 1}) == std::vector{ref(1, 0)});
}

TEST_CASE_TEMPLATE("nearly all of the nearest are found among many", Backend, EVERY_INDEX) {
    Backend backend;
    constexpr int dimensions = 128, pages = 400, chunks = 5;
    std::mt19937 random(17);
    backend.use_service(dimensions);
    std::vector<std::vector<float>> subjects;
    for (int subject = 0; subject < 20; ++subject) subjects.push_back(random_vector(random, dimensions));
    std::vector<std::pair<ChunkRef, std::vector<float>>> all;
    std::vector<IndexedPage> written;
    for (int page = 1; page <= pages; ++page) {
        std::vector<IndexedChunk> of_page;
        for (int chunk = 0; chunk < chunks; ++chunk) {
            all.emplace_back(ref(page, chunk), random_vector(random, dimensions));
            // As texts are: about something.
            const auto& subject = subjects[static_cast<std::size_t>(page) % subjects.size()];
            for (std::size_t at = 0; at < subject.size(); ++at) all.back().second[at] += subject[at];
            of_page.push_back(chunk_of("text", all.back().second));
        }
        written.push_back(page_of(page, std::move(of_page)));
    }
    REQUIRE(backend.index->replace("default", std::move(written)));

    int met = 0;
    for (int query = 0; query < 20; ++query) {
        std::vector<float> asked = random_vector(random, dimensions);
        for (std::size_t at = 0; at < asked.size(); ++at) {
            asked[at] += subjects[static_cast<std::size_t>(query)][at];
        }
        std::vector<std::pair<double, ChunkRef>> exact;
        for (const auto& [chunk, vector] : all) {
            double product = 0, length = 0;
            for (std::size_t at = 0; at < vector.size(); ++at) {
                product += static_cast<double>(vector[at]) * asked[at];
                length += static_cast<double>(vector[at]) * vector[at];
            }
            exact.emplace_back(-product / std::sqrt(length), chunk);
        }
        std::ranges::partial_sort(exact, exact.begin() + 10);
        const auto found = backend.nearest(asked);
        for (int at = 0; at < 10; ++at) {
            met += std::ranges::count(found, exact[static_cast<std::size_t>(at)].second) > 0 ? 1 : 0;
        }
    }

    CHECK(met >= 194);
}

}  // namespace quarry::index::promises
