#include "embed/openai.h"

#include <cmath>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "embed/manual_clock_test.h"
#include "servers/imitation_openai.h"

using namespace quarry;
using namespace quarry::embed;

TEST_CASE("vectors are put in the order of their index") {
    const auto found = parse_openai_vectors(R"({"object":"list","model":"m-v2","data":[
        {"object":"embedding","index":1,"embedding":[3,4]},
        {"object":"embedding","index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":1}})");

    REQUIRE(found);
    CHECK(found->vectors == std::vector<Vector>{{1, 2}, {3, 4}});
    CHECK(found->model == "m-v2");
}

TEST_CASE("base64 is little-endian floats") {
    // 1.0, -2.5
    CHECK(parse_openai_vectors(R"({"data":[{"index":0,"embedding":"AACAPwAAIMA="}]})").value().vectors ==
          std::vector<Vector>{{1.0F, -2.5F}});
}

TEST_CASE("whatever else comes is corrupt") {
    for (const char* body : {
             "",
             "[]",
             "{}",
             R"({"data":7})",
             R"({"data":[7]})",
             R"({"data":[{"index":0}]})",
             R"({"data":[{"embedding":[1]}]})",
             R"({"data":[{"index":-1,"embedding":[1]}]})",
             R"({"data":[{"index":1,"embedding":[1]}]})",
             R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
             R"({"data":[{"index":0,"embedding":[]}]})",
             R"({"data":[{"index":0,"embedding":[null]}]})",
             R"({"data":[{"index":0,"embedding":""}]})",
             R"({"data":[{"index":0,"embedding":"AACA"}]})",
             R"({"data":[{"index":0,"embedding":"AA!A"}]})",
             R"({"data":[{"index":0,"embedding":"AADAfw=="}]})",  // NaN
             R"({"data":[{"index":0,"embedding":[1]}])",
         }) {
        CAPTURE(body);
        const auto found = parse_openai_vectors(body);
        REQUIRE_FALSE(found);
        CHECK(found.error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("a refusal for size is known by its words") {
    CHECK(is_refused_for_size(413, ""));
    CHECK(is_refused_for_size(400, "This model's maximum context length is 8192 tokens"));
    CHECK(is_refused_for_size(400, "the input length exceeds the context length"));
    CHECK(is_refused_for_size(422, "batch size 33 > maximum allowed batch size 32"));
    CHECK(is_refused_for_size(400, "Too many inputs. The max is 16."));
    CHECK_FALSE(is_refused_for_size(400, "model not found"));
    CHECK_FALSE(is_refused_for_size(401, "too many tokens in your wallet"));
}

using namespace quarry;
using namespace quarry::embed;
using namespace std::chrono_literals;
using test::Fault;
using test::ImitationOpenAi;
using Errors = test::ImitationOpenAiOptions::Errors;

namespace {

using Waits = std::vector<std::chrono::milliseconds>;

struct Setup {
    explicit Setup(test::ImitationOpenAiOptions options = {}, OpenAiConfig config = {})
        : service(std::move(options)) {
        config.url = service.url();
        config.model = "nomic-embed-text";
        config.time = time.time();
        embedder = open_openai_embedder(std::move(config), *client).value();
    }
    ~Setup() { CHECK(service.conduct.wrong_requests().empty()); }

    Result<std::vector<Vector>> embed(const std::vector<std::string>& texts) {
        return embedder->embed(texts, {});
    }

    ImitationOpenAi service;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    StillTime time;
    std::unique_ptr<Embedder> embedder;
};

std::vector<std::string> texts(int count) {
    std::vector<std::string> list;
    for (int i = 0; i < count; ++i) list.push_back(fmt::format("passage number {} about stones", i));
    return list;
}

double length(const Vector& vector) {
    double square = 0;
    for (const float component : vector) square += static_cast<double>(component) * component;
    return std::sqrt(square);
}

}  // namespace

TEST_CASE("vectors come in the order of the texts and are of length 1, whatever the server does") {
    Setup setup;
    const auto list = texts(3);

    const auto vectors = setup.embed(list).value();

    REQUIRE(vectors.size() == 3);
    CHECK(length(vectors[0]) == doctest::Approx(1));
    CHECK(vectors[2] == setup.embed({list[2]}).value()[0]);
    CHECK(vectors[0] != vectors[2]);
}

TEST_CASE("base64 is understood from servers that insist on it") {
    Setup numbers;
    Setup base64({.answers_base64 = true});
    CHECK(base64.embed(texts(3)).value()[1] == numbers.embed(texts(3)).value()[1]);
}

TEST_CASE("what the service is: the model that was asked for, and what its vectors show") {
    Setup setup({.dimensions = 48});
    CHECK(setup.embedder->facts().value() ==
          EmbedderFacts{.provider = "openai", .model = "nomic-embed-text", .dimensions = 48});

    Setup shorter({.dimensions = 48}, {.dimensions = 32});
    CHECK(shorter.embedder->facts().value().dimensions == 32);
    CHECK(shorter.embedder->limits().max_batch == 100);
    CHECK(shorter.embedder->limits().max_input_tokens == 8192);
}

TEST_CASE("the address may end in /v1 or not") {
    ImitationOpenAi service;
    const auto client = net::HttpClient::open({}).value();
    for (const char* path : {"", "/", "/v1", "/v1/"}) {
        CAPTURE(path);
        const auto embedder =
            open_openai_embedder({.url = service.url() + path, .model = "m"}, *client).value();
        CHECK(embedder->facts());
    }
    CHECK(open_openai_embedder({.url = service.url()}, *client).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a list over the limits is sent in parts") {
    SUBCASE("of a hundred texts") {
        Setup setup;
        CHECK(setup.embed(texts(250)).value().size() == 250);
        CHECK(setup.service.server().count_requests("/v1/embeddings") == 1 + 3);
    }
    SUBCASE("of fewer, if the server takes fewer") {
        Setup setup({.most_inputs = 7});
        CHECK(setup.embed(texts(40)).value().size() == 40);
    }
    SUBCASE("of 300,000 tokens at most") {
        std::string text;
        for (int i = 0; i < 6'000; ++i) text += "word ";
        Setup setup;
        CHECK(setup.embed(std::vector<std::string>(60, text)).value().size() == 60);
        CHECK(setup.service.conduct.served() == setup.service.server().count_requests("/v1/embeddings"));
    }
}

TEST_CASE("a text over the model's length is too_large in every dialect of errors") {
    for (const Errors errors : {Errors::nested, Errors::flat, Errors::plain}) {
        Setup setup({.errors = errors, .most_tokens = 10});
        const auto vectors = setup.embed({"one two three four five six seven eight nine ten"});
        REQUIRE_FALSE(vectors);
        CHECK(vectors.error().code == ErrorCode::too_large);
        CHECK(
            vectors.error().message.ends_with("answered 400: This model's maximum context length is 10 "
                                              "tokens, however you requested 12 tokens"));
    }
}

TEST_CASE("a server that stumbles is asked again, after as long as it asks for") {
    for (const Fault fault : {Fault::cut, Fault::overloaded, Fault::unavailable, Fault::internal}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(setup.embedder->facts());
        setup.service.conduct.faults.next(fault, 3);
        CHECK(setup.embed(texts(2)));
        CHECK(setup.time.waits() == Waits{1s, 2s, 4s});
    }
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.service.conduct.faults.next(Fault::overloaded_7s);
    CHECK(setup.embed(texts(2)));
    CHECK(setup.time.waits() == Waits{7s});
    setup.service.conduct.faults.next(Fault::overloaded_1h);
    CHECK(setup.embed(texts(2)).error().code == ErrorCode::unavailable);
}

TEST_CASE("a server that is not there is unavailable") {
    std::string url;
    {
        url = ImitationOpenAi().url();
    }
    StillTime time;
    const auto client = net::HttpClient::open({}).value();
    const auto embedder =
        open_openai_embedder({.url = url, .model = "m", .time = time.time()}, *client).value();
    CHECK(embedder->facts().error().code == ErrorCode::unavailable);
    CHECK(time.waits() == Waits{1s, 2s, 4s});
}

TEST_CASE("a server that never answers costs its time once") {
    Setup setup({}, {.timeout = 1s});
    REQUIRE(setup.embedder->facts());
    setup.service.conduct.faults.next(Fault::never);
    CHECK(setup.embed(texts(1)).error().code == ErrorCode::timeout);
}

TEST_CASE("a wrong answer is never taken") {
    for (const Fault fault :
         {Fault::garbage, Fault::wrong_count, Fault::not_a_number, Fault::wrong_dimensions}) {
        CAPTURE(static_cast<int>(fault));
        Setup setup;
        REQUIRE(setup.embedder->facts());
        setup.service.conduct.faults.next(fault);
        const auto vectors = setup.embed(texts(3));
        REQUIRE_FALSE(vectors);
        CHECK(vectors.error().code == ErrorCode::corrupt);
        CHECK(setup.embed(texts(3)));
    }
}

TEST_CASE("a refused key names the setting and is not shown, though the server repeats it") {
    Setup setup({.key = "another"}, {.api_key = "sk-verysecret"});
    const auto vectors = setup.embed(texts(1));
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::refused);
    CHECK(vectors.error().message.ends_with(
        "refused the key (401: Incorrect API key provided: [key]): set embedding.openai_key"));

    Setup forbidden;
    forbidden.service.conduct.faults.next(Fault::forbid);
    CHECK(forbidden.embed(texts(1)).error().code == ErrorCode::refused);
}

TEST_CASE("a server that answers with another model than before is a conflict") {
    Setup setup;
    setup.service.set_answered_model("nomic-embed-text-v1");
    REQUIRE(setup.embed(texts(1)));
    CHECK(setup.embedder->facts().value().version == "nomic-embed-text-v1");

    setup.service.set_answered_model("nomic-embed-text-v2");

    const auto vectors = setup.embed(texts(1));
    REQUIRE_FALSE(vectors);
    CHECK(vectors.error().code == ErrorCode::conflict);
    CHECK(vectors.error().message.find("quarry reindex") != std::string::npos);
}

TEST_CASE("questions and passages have prefixes of their own") {
    Setup setup({}, {.query_prefix = "query: ", .document_prefix = "passage: "});
    Setup plain;
    CHECK(setup.embedder->embed_query("granite", {}).value() == plain.embed({"query: granite"}).value()[0]);
    CHECK(setup.embed({"granite"}).value() == plain.embed({"passage: granite"}).value());
}

TEST_CASE("eight calls are under way at once against an OpenAI-like server") {
    Setup setup;
    REQUIRE(setup.embedder->facts());
    setup.service.conduct.latency = 20ms;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { CHECK(setup.embed(texts(32)).value().size() == 32); });
    }
    CHECK(setup.service.conduct.most_at_once() > 1);
}
