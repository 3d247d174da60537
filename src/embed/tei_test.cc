#include "embed/tei.h"

#include <cmath>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "embed/manual_clock_test.h"
#include "servers/imitation_tei.h"

using namespace quarry;
using namespace quarry::embed;
using namespace std::chrono_literals;
using test::Fault;
using test::ImitationTei;

namespace {

using Waits = std::vector<std::chrono::milliseconds>;

struct Setup {
    explicit Setup(test::ImitationTeiOptions options = {}, TeiConfig config = {}) : tei(std::move(options)) {
        config.url = config.url.empty() ? tei.url() : config.url;
        config.time = time.time();
        embedder = open_tei_embedder(std::move(config), *client).value();
    }
    ~Setup() { CHECK(tei.conduct.wrong_requests().empty()); }

    Result<std::vector<Vector>> embed(const std::vector<std::string>& texts) {
        return embedder->embed(texts, {});
    }

    ImitationTei tei;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    StillTime time;
    std::unique_ptr<Embedder> embedder;
};

std::vector<std::string> texts(int count) {
    std::vector<std::string> list;
    for (int i = 0; i < count; ++i) list.push_back(fmt::format("passage number {} about stones", i));
    return list;
}

double cosine(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

std::size_t embed_requests(Setup& setup) {
    return setup.tei.server().count_requests("/embed");
}

}  // namespace

TEST_CASE("texts become vectors of length 1, similar ones near each other") {
    Setup setup;

    const auto vectors =
        setup.embed({"granite is a hard stone", "a hard stone is granite", "tax law"}).value();

    REQUIRE(vectors.size() == 3);
    CHECK(cosine(vectors[0], vectors[0]) == doctest::Approx(1));
    CHECK(cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2]));
}

TEST_CASE("what the service is comes from /info, the dimensions from a first vector") {
    Setup setup({.max_input_length = 256, .max_client_batch_size = 16});

    const auto facts = setup.embedder->facts();

    REQUIRE(facts);
    CHECK(*facts == EmbedderFacts{.provider = "tei",
                                  .model = "BAAI/bge-small-en-v1.5",
                                  .dimensions = 64,
                                  .version = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"});
    CHECK(setup.embedder->limits().max_batch == 16);
    CHECK(setup.embedder->limits().max_input_tokens == 256);
    CHECK(setup.embedder->limits().requests_in_flight == 8);
}

TEST_CASE("facts are asked for once, not with every batch") {
    Setup setup;
    for (int i = 0; i < 5; ++i) REQUIRE(setup.embed(texts(3)));
    CHECK(setup.tei.server().count_requests("/info") == 1);
    CHECK(embed_requests(setup) == 6);
    CHECK(setup.tei.server().count_connections() == 1);
}

TEST_CASE("a list longer than a batch is sent in batches and comes back in order") {
    Setup setup;
    const auto list = texts(100);

    const auto vectors = setup.embed(list).value();

    REQUIRE(vectors.size() == 100);
    CHECK(vectors[77] == setup.embed({list[77]}).value()[0]);
    CHECK(embed_requests(setup) == 1 + 4 + 1);
}

TEST_CASE("a request has a hundred texts at most, whatever more the service takes") {
    Setup setup({.max_client_batch_size = 1'000});

    CHECK(setup.embed(texts(250)).value().size() == 250);

    CHECK(setup.embedder->limits().max_batch == 100);
    CHECK(embed_requests(setup) == 1 + 3);  // the first finds out the dimensions
}

TEST_CASE("a slash at the end of the address makes no difference") {
    ImitationTei tei;
    const auto client = net::HttpClient::open({}).value();

    const auto embedder = open_tei_embedder({.url = tei.url() + "/"}, *client).value();

    CHECK(embedder->facts());
    CHECK(tei.server().count_requests("/info") == 1);
}

TEST_CASE("a batch that the service finds too large is halved") {
    SUBCASE("because it takes fewer than it says") {
        Setup setup({.max_client_batch_size = 5, .told_batch_size = 32});
        const auto list = texts(20);
        const auto vectors = setup.embed(list).value();
        REQUIRE(vectors.size() == 20);
        CHECK(vectors[13] == setup.embed({list[13]}).value()[0]);
    }
    SUBCASE("because of its bytes") {
        Setup setup({.payload_limit = 1'000});
        CHECK(setup.embed(texts(32)).value().size() == 32);
    }
    SUBCASE("until one text alone is refused") {
        Setup setup({.payload_limit = 1'000});
        const auto vectors = setup.embed({std::string(2'000, 'x')});
        REQUIRE_FALSE(vectors);
        CHECK(vectors.error().code == ErrorCode::too_large);
    }
}

TEST_CASE("a text with too many tokens is too_large") {
    Setup setup({.max_input_length = 10});
    const auto vectors = setup.embed({"one two three four five six seven eight nine ten"});
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::too_large);
    CHECK(vectors.error().message.find("must have less than 10 tokens. Given: 12") != std::string::npos);
}

TEST_CASE("a service that stumbles is asked again after 1, 2 and 4 seconds") {
    for (const Fault fault :
         {Fault::cut, Fault::overloaded, Fault::backend, Fault::unavailable, Fault::internal}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(setup.embedder->facts());
        setup.tei.conduct.faults.next(fault, 3);

        const auto vectors = setup.embed(texts(2));

        REQUIRE(vectors);
        CHECK(setup.time.waits() == Waits{1s, 2s, 4s});
    }
}

TEST_CASE("a service that dies in the middle of a request is asked again") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    // The first is on a connection that was used before, which the client itself tries again.
    setup.tei.conduct.faults.next(Fault::reset, 3);

    CHECK(setup.embed(texts(2)));
    CHECK(setup.time.waits() == Waits{1s, 2s});
}

TEST_CASE("after the last try the service's words are the error") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.always(Fault::unavailable);

    const auto vectors = setup.embed(texts(2));

    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::unavailable);
    CHECK(vectors.error().message == fmt::format("TEI at {} answered 503: unhealthy", setup.tei.url()));
    CHECK(embed_requests(setup) == 1 + 4);
}

TEST_CASE("Retry-After is obeyed, unless it asks for more than a minute") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.next(Fault::overloaded_7s);
    REQUIRE(setup.embed(texts(2)));
    CHECK(setup.time.waits() == Waits{7s});

    setup.tei.conduct.faults.next(Fault::overloaded_1h);
    const auto vectors = setup.embed(texts(2));

    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::unavailable);
    CHECK(setup.time.waits() == Waits{7s});
}

TEST_CASE("a stop request ends the waiting") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.always(Fault::unavailable);
    std::stop_source source;
    setup.time.stop_in_wait(source);

    const auto vectors = setup.embedder->embed(texts(1), source.get_token());

    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::interrupted);
}

TEST_CASE("a service that is not there is unavailable, and is found when it comes") {
    std::uint16_t port = 0;
    {
        port = ImitationTei().port();
    }
    Setup setup({}, {.url = fmt::format("http://127.0.0.1:{}", port)});
    CHECK(setup.embedder->limits().max_batch == 32);
    const auto vectors = setup.embed(texts(1));
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::unavailable);
    CHECK(setup.time.waits() == Waits{1s, 2s, 4s});

    ImitationTei late({.port = port});

    CHECK(setup.embed(texts(1)));
}

TEST_CASE("five calls in vain open the breaker for a minute") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.always(Fault::unavailable);
    for (int i = 0; i < 5; ++i) CHECK_FALSE(setup.embed(texts(1)));
    const auto asked = setup.tei.server().requests().size();

    const auto refused = setup.embed(texts(1));

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message.find("answered 503: unhealthy (5 failures in a row, next try in 60 s)") !=
          std::string::npos);
    CHECK(setup.tei.server().requests().size() == asked);

    setup.tei.conduct.faults.always(Fault::none);
    CHECK_FALSE(setup.embed(texts(1)));
    setup.time.advance(60s);
    CHECK(setup.embed(texts(1)));
}

TEST_CASE("when the last call was in vain, the next does not wait and try again") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.always(Fault::unavailable);
    CHECK_FALSE(setup.embed(texts(1)));
    CHECK(setup.time.waits().size() == 3);

    CHECK_FALSE(setup.embed(texts(1)));

    CHECK(setup.time.waits().size() == 3);
}

TEST_CASE("an overloaded service is not taken for one that is away") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.always(Fault::overloaded);
    for (int i = 0; i < 6; ++i) CHECK_FALSE(setup.embed(texts(1)));

    setup.tei.conduct.faults.always(Fault::none);

    CHECK(setup.embed(texts(1)));
}

TEST_CASE("a service that never answers costs its time once") {
    Setup setup({}, {.timeout = 1s});
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.faults.next(Fault::never);

    const auto vectors = setup.embed(texts(1));

    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::timeout);
    CHECK(setup.time.waits().empty());
}

TEST_CASE("an answer that is wrong is never taken") {
    for (const Fault fault :
         {Fault::garbage, Fault::wrong_count, Fault::not_a_number, Fault::wrong_dimensions}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(setup.embedder->facts());
        setup.tei.conduct.faults.next(fault);

        const auto vectors = setup.embed(texts(3));

        REQUIRE_FALSE(vectors);
        CHECK(vectors.error().code == ErrorCode::corrupt);
        CHECK(setup.embed(texts(3)));
    }
}

TEST_CASE("a refused key names the setting, and no key is ever shown") {
    const std::string key = "hf_verysecret";
    Setup setup({.key = "another"}, {.api_key = key});
    const auto vectors = setup.embed(texts(1));
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::refused);
    CHECK(vectors.error().message ==
          fmt::format("TEI at {} refused the key (401): set embedding.tei_key", setup.tei.url()));

    Setup talkative({.key = key}, {.api_key = key});
    REQUIRE(talkative.embedder->facts());
    talkative.tei.conduct.faults.next(Fault::echo_key);
    const auto echoed = talkative.embed(texts(1));
    REQUIRE_FALSE(echoed);
    CHECK(echoed.error().code == ErrorCode::invalid_argument);
    CHECK(echoed.error().message.find(key) == std::string::npos);
}

TEST_CASE("a service that came back as another model is a conflict with a way out") {
    Setup setup;
    REQUIRE(setup.embed(texts(1)));

    SUBCASE("noticed after it was away") {
        setup.tei.conduct.faults.next(Fault::unavailable, 4);
        CHECK_FALSE(setup.embed(texts(1)));
        setup.tei.set_model({.sha = "another"});
    }
    SUBCASE("noticed by its dimensions") {
        setup.tei.set_model({.id = "BAAI/bge-base", .dimensions = 96});
    }
    SUBCASE("noticed after a minute") {
        setup.tei.set_model({.sha = "another"});
        setup.time.advance(61s);
    }
    const auto vectors = setup.embed(texts(1));
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::conflict);
    CHECK(vectors.error().message.find("quarry reindex") != std::string::npos);
    CHECK(setup.embedder->facts().error().code == ErrorCode::conflict);

    setup.tei.set_model({});
    CHECK(setup.embed(texts(1)));
}

TEST_CASE("a reranker is no embedder") {
    Setup setup({.kind = "reranker"});
    const auto facts = setup.embedder->facts();
    REQUIRE_FALSE(facts);
    CHECK(facts.error().code == ErrorCode::invalid_argument);
    CHECK(facts.error().message.find("serves a reranker") != std::string::npos);
}

TEST_CASE("prefixes tell questions from passages, and are a part of what the embedder is") {
    Setup setup({}, {.query_prefix = "query: ", .document_prefix = "passage: "});
    Setup plain;

    CHECK(setup.embedder->embed_query("granite", {}).value() == plain.embed({"query: granite"}).value()[0]);
    CHECK(setup.embed({"granite"}).value() == plain.embed({"passage: granite"}).value());
    CHECK(setup.embedder->facts().value() != plain.embedder->facts().value());
}

TEST_CASE("nothing asked is nothing sent, and an empty text is the caller's mistake") {
    Setup setup;
    CHECK(setup.embed({}).value().empty());
    CHECK(setup.embed({"a", ""}).error().code == ErrorCode::invalid_argument);
    CHECK(setup.tei.server().requests().empty());
}

TEST_CASE("eight calls are under way at once") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.tei.conduct.latency = 20ms;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] {
                for (int j = 0; j < 3; ++j) CHECK(setup.embed(texts(32)).value().size() == 32);
            });
    }
    CHECK(setup.tei.conduct.most_at_once() > 1);
    CHECK(setup.tei.conduct.served() == 1 + 24);
}

TEST_CASE("an address that cannot be asked is refused at once") {
    const auto client = net::HttpClient::open({}).value();
    for (const char* url : {"", "localhost:8080", "ftp://a.example", "http://a.example/?x=1"}) {
        CAPTURE(url);
        const auto embedder = open_tei_embedder({.url = url}, *client);
        REQUIRE_FALSE(embedder);
        CHECK(embedder.error().code == ErrorCode::invalid_argument);
    }
    const auto secret = open_tei_embedder({.url = "http://user:pass@a.example"}, *client);
    REQUIRE_FALSE(secret);
    CHECK(secret.error().message.find("pass@") == std::string::npos);
}
