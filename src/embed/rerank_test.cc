#include <doctest/doctest.h>
#include <fmt/format.h>

#include "embed/manual_clock_test.h"
#include "embed/tei.h"
#include "servers/imitation_tei.h"

using namespace quarry;
using namespace quarry::embed;
using namespace std::chrono_literals;
using test::Fault;

namespace {

struct Setup {
    explicit Setup(test::ImitationTeiOptions options = {.kind = "reranker"})
        : tei(std::move(options)),
          reranker(Reranker::open({.url = tei.url(), .time = time.time()}, *client).value()) {}
    ~Setup() { CHECK(tei.conduct.wrong_requests().empty()); }

    test::ImitationTei tei;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    StillTime time;
    Reranker reranker;
};

std::vector<std::string> texts(int count) {
    std::vector<std::string> list;
    for (int i = 0; i < count; ++i) list.push_back(fmt::format("a passage about thing {}", i));
    return list;
}

}  // namespace

TEST_CASE("the passage that answers gets the best score, wherever it stands") {
    Setup setup;
    const std::vector<std::string> list{"tax law", "how hard is granite", "cooking rice"};

    const auto scores = setup.reranker.score("how hard is granite", list, {}).value();

    REQUIRE(scores.size() == 3);
    CHECK(scores[1] > scores[0]);
    CHECK(scores[1] > scores[2]);
}

TEST_CASE("more passages than a batch are scored in batches, and fewer at once if the server takes fewer") {
    Setup setup({.kind = "reranker", .max_client_batch_size = 10});
    const auto list = texts(100);

    const auto scores = setup.reranker.score("thing 77", list, {}).value();

    REQUIRE(scores.size() == 100);
    CHECK(std::ranges::max_element(scores) - scores.begin() == 77);
}

TEST_CASE("scores that are missing or no numbers are never taken") {
    for (const Fault fault : {Fault::garbage, Fault::wrong_count, Fault::not_a_number}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        setup.tei.conduct.faults.next(fault);
        const auto scores = setup.reranker.score("thing", texts(3), {});
        REQUIRE_FALSE(scores);
        CHECK(scores.error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("a reranker that is away is waited for, then unavailable") {
    Setup setup;
    setup.tei.conduct.faults.next(Fault::unavailable, 2);
    CHECK(setup.reranker.score("thing", texts(3), {}));

    setup.tei.conduct.faults.always(Fault::unavailable);
    CHECK(setup.reranker.score("thing", texts(3), {}).error().code == ErrorCode::unavailable);
}

TEST_CASE("nothing to score is nothing asked") {
    Setup setup;
    CHECK(setup.reranker.score("thing", {}, {}).value().empty());
    CHECK(setup.tei.server().requests().empty());
}
