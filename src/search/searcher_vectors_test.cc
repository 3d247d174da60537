#include <doctest/doctest.h>

#include "search/searcher_test.h"

using namespace quarry;
using namespace quarry::search;
using Titles = std::vector<std::string>;
using Vector = std::vector<float>;

namespace {

// Two dimensions: how much a text is about cars, and how much about cats.
struct Animals : TestLibrary {
    Animals() {
        REQUIRE(index->set_embedder("default", {.provider = "tei", .model = "m", .dimensions = 2}));
        put("https://a.example/car", "The jaguar", {{"A jaguar that drives fast.", {1, 0}}});
        put("https://a.example/cat", "Big cats", {{"The jaguar hunts at night.", {0.1F, 0.99F}}});
        put("https://a.example/lion", "Lions", {{"They hunt in prides.", {0, 1}}});
        embed = [](const std::string&, const std::string&) { return Vector{0, 1}; };
    }
};

}  // namespace

TEST_CASE("words and vectors find together what neither finds alone") {
    Animals animals;

    CHECK(animals.titles({.query = "jaguar at night", .mode = Mode::keyword}).size() == 2);
    CHECK(animals.titles({.query = "jaguar at night", .mode = Mode::vector}).at(0) == "Lions");
    const SearchAnswer both = animals.search({.query = "jaguar at night"});
    CHECK(both.hits.size() == 3);
    CHECK(both.hits[0].label.title == "Big cats");
    CHECK(both.mode == Mode::hybrid);
    CHECK(both.warning == "");
}

TEST_CASE("the query is embedded without its operators") {
    Animals animals;
    std::string asked;
    animals.embed = [&](const std::string& collection, const std::string& query) {
        asked = collection + ": " + query;
        return Vector{0, 1};
    };

    animals.search({.query = "\"big cats\" -car night site:a.example"});

    CHECK(asked == "default: big cats night");
}

TEST_CASE("what a query demands also holds for what vectors found") {
    Animals animals;

    CHECK(animals.titles({.query = "\"jaguar\" hunts"}) == Titles{"Big cats", "The jaguar"});
    CHECK(animals.titles({.query = "jaguar -prides -drives"}) == Titles{"Big cats"});
    CHECK(animals.titles({.query = "\"in prides\"", .mode = Mode::vector}) == Titles{"Lions"});
    CHECK(animals.titles({.query = "hunts site:b.example"}).empty());
}

TEST_CASE("a service that is down costs a warning, not the answer") {
    Animals animals;
    animals.embed = [](const std::string&, const std::string&) -> Result<Vector> {
        return fail(ErrorCode::unavailable, "cannot reach http://127.0.0.1:1");
    };

    for (const Mode mode : {Mode::hybrid, Mode::vector}) {
        const SearchAnswer answer = animals.search({.query = "jaguar", .mode = mode});
        CHECK(answer.hits.size() == 2);
        CHECK(answer.mode == Mode::keyword);
        CHECK(answer.warning == "answered by words alone: cannot reach http://127.0.0.1:1");
    }
}

TEST_CASE("a query without a vector is answered by words; who insisted on vectors is told") {
    Animals animals;
    animals.embed = [](const std::string&, const std::string&) { return Vector{}; };

    CHECK(animals.search({.query = "jaguar"}).mode == Mode::keyword);
    CHECK(animals.search({.query = "jaguar"}).warning == "");
    CHECK(animals.search({.query = "jaguar", .mode = Mode::vector}).warning != "");
    animals.embed = {};
    CHECK(animals.search({.query = "jaguar"}).warning == "");
    CHECK(animals.search({.query = "jaguar", .mode = Mode::vector}).hits.size() == 2);
}

TEST_CASE("weights decide how much vectors count when scores are fused") {
    Animals animals;
    const auto first = [&](float weight) {
        return animals.search({.query = "jaguar drives"}, {.vector_weight = weight, .fusion = Fusion::scores})
            .hits.at(0)
            .label.title;
    };

    CHECK(first(0.1F) == "The jaguar");
    CHECK(first(0.9F) == "Lions");
}

TEST_CASE("a page's place does not depend on how many are asked for") {
    Animals animals;
    for (int i = 0; i < 300; ++i)
        animals.put("https://a.example/" + std::to_string(i), "Page " + std::to_string(i),
                    {{"night " + std::string(static_cast<std::size_t>(i % 7) + 1, 'x'),
                      {static_cast<float>(i + 1), 300.0F - static_cast<float>(i)}}});
    const Titles few = animals.titles({.query = "hunts at night", .limit = 10});

    const Titles many = animals.titles({.query = "hunts at night", .limit = 250});

    REQUIRE(few.size() == 10);
    CHECK(many.size() == 250);
    CHECK(Titles(many.begin(), many.begin() + 10) == few);
}

TEST_CASE("a reranker has the last word on the best hits") {
    Animals animals;
    animals.rerank = [](const std::string& query, std::span<const std::string> texts) {
        CHECK(query == "jaguar");
        std::vector<float> scores;
        for (const std::string& text : texts)
            scores.push_back(text.find("drives") != std::string::npos ? 1 : 0.5F);
        return scores;
    };

    const SearchAnswer answer = animals.search({.query = "jaguar", .rerank = true});

    CHECK(answer.hits.at(0).label.title == "The jaguar");
    CHECK(answer.hits.at(0).score == 1);
    CHECK(answer.warning == "");
}

TEST_CASE("a reranker that fails leaves the order as it was, and says so") {
    Animals animals;
    const Titles order = animals.titles({.query = "jaguar"});
    const Reranker failing[] = {
        [](const std::string&, std::span<const std::string>) -> Result<Vector> {
            return fail(ErrorCode::timeout, "took too long");
        },
        [](const std::string&, std::span<const std::string>) { return Vector{1}; },
        {},
    };
    for (const Reranker& reranker : failing) {
        animals.rerank = reranker;
        const SearchAnswer answer = animals.search({.query = "jaguar", .rerank = true});
        CHECK(answer.warning.starts_with("not reranked: "));
        CHECK(animals.titles({.query = "jaguar", .rerank = true}) == order);
    }
}
