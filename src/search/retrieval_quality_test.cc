// How good search is on test collections that people judged. A floor that is not reached any more means that
// some change made search worse: bench/retrieval_bench tells by how much, and on which collection.
#include <filesystem>

#include <doctest/doctest.h>

#include "retrieval_run.h"
#include "servers/temporary_folder.h"

using namespace quarry;
using bench::RetrievalRun;

namespace {

struct Floor {
    const char* name;
    double words, hybrid;  // nDCG@10, a little below what was measured
};

constexpr Floor floors[] = {{"scifact", 0.715, 0.725},
                            {"cranfield", 0.400, 0.425},
                            {"cisi", 0.418, 0.445},
                            {"pubmedqa", 0.970, 0.972}};

}  // namespace

TEST_CASE("search is as good as it was measured, and the builtin space makes it better") {
    const std::string retrieval = QUARRY_SUITES "/bench/retrieval";
    if (!std::filesystem::exists(retrieval)) {
        MESSAGE("skipped: the test collections are not there: " << retrieval);
        return;
    }
    const test::TemporaryFolder folder;
    double gain = 0;
    for (const Floor& floor : floors) {
        const std::string name = floor.name;
        CAPTURE(name);
        const auto run = RetrievalRun::open(retrieval + "/" + name, folder.file(name));
        REQUIRE(run);
        const auto words = (*run)->measure(search::Mode::keyword, {});
        const auto hybrid = (*run)->measure(search::Mode::hybrid, {});
        REQUIRE(words);
        REQUIRE(hybrid);
        MESSAGE(name << ": nDCG@10 " << words->ndcg << " by words, " << hybrid->ndcg << " with vectors");
        CHECK(words->ndcg >= floor.words);
        CHECK(hybrid->ndcg >= floor.hybrid);
        CHECK(hybrid->ndcg >= words->ndcg - 0.005);
        gain += (hybrid->ndcg - words->ndcg) / std::size(floors);
    }
    CHECK(gain >= 0.015);
}
