#include <string>

#include <doctest/doctest.h>

#include "embed/answers.h"
#include "embed/tei.h"

using namespace quarry;
using namespace quarry::embed;

TEST_CASE("what /info says is read, and what cannot be is not believed") {
    const auto info = parse_tei_info(R"({"model_id":"BAAI/bge-small","model_sha":null,"model_type":
        {"embedding":{"pooling":"cls"}},"max_client_batch_size":64,"max_input_length":0,
        "max_batch_tokens":"many","max_concurrent_requests":99999999999})");

    REQUIRE(info);
    CHECK(info->model == "BAAI/bge-small");
    CHECK(info->sha.empty());
    CHECK(info->kind == "embedding");
    CHECK(info->max_client_batch_size == 64);
    CHECK(info->max_input_length == 512);
    CHECK(info->max_batch_tokens == 16'384);
    CHECK(info->max_concurrent_requests == 1'000'000'000);
}

TEST_CASE("vectors are lists of lists of numbers and nothing else") {
    CHECK(parse_tei_vectors("[[0.5,-1],[2e-1,3]]").value() == std::vector<Vector>{{0.5F, -1}, {0.2F, 3}});

    const std::string bad[] = {"",
                               "[[0.5,null]]",
                               "[[NaN]]",
                               "[0.5]",
                               "{}",
                               "[[1e999]]",
                               "[[\"1\"]]",
                               "[[1],",
                               "[[[[1]]]]",
                               "[[1]] trailing",
                               "[[1e39]]",  // no float
                               std::string(100'000, '[')};
    for (const std::string& body : bad) {
        CAPTURE(body.substr(0, 40));
        REQUIRE_FALSE(parse_tei_vectors(body));
        CHECK(parse_tei_vectors(body).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("vectors must be as many as the texts, and all as long as they should be") {
    CHECK(check_vectors({{1, 2}, {3, 4}}, 2, 2));
    CHECK(check_vectors({{1, 2}, {3, 4}}, 2, 0));
    CHECK(check_vectors({{1, 2}}, 2, 2).error().message == "2 texts were sent, 1 vectors came back");
    CHECK(check_vectors({{1, 2}, {3}}, 2, 0).error().message == "a vector of 1 dimensions came back, not 2");
    CHECK(check_vectors({{1, 2}}, 1, 3).error().message == "a vector of 2 dimensions came back, not 3");
    CHECK_FALSE(check_vectors({{}}, 1, 0));
}

TEST_CASE("scores come back in the order of the texts") {
    CHECK(parse_tei_scores(R"([{"index":1,"score":0.9},{"index":0,"score":0.1,"text":"b"}])", 2).value() ==
          std::vector<float>{0.1F, 0.9F});

    for (const char* body :
         {"[]", R"([{"index":0,"score":1},{"index":0,"score":1}])",
          R"([{"index":0,"score":1},{"index":2,"score":1}])",
          R"([{"index":0,"score":1},{"index":-1,"score":1}])",
          R"([{"index":0,"score":1},{"index":1,"score":null}])", R"([{"index":0,"score":1},{"score":1}])",
          R"([{"index":0,"score":1},7])", "null"}) {
        CAPTURE(body);
        REQUIRE_FALSE(parse_tei_scores(body, 2));
        CHECK(parse_tei_scores(body, 2).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("a refusal says whether fewer texts or a shorter one would do") {
    struct Case {
        int status;
        const char* words;
        TeiRefusal refusal;
    };
    const Case cases[] = {
        {413, "Failed to buffer the request body: length limit exceeded", TeiRefusal::batch_too_large},
        {422, "batch size 33 > maximum allowed batch size 32", TeiRefusal::batch_too_large},
        {422, "Input validation error: batch size 33 > maximum allowed batch size 32",
         TeiRefusal::batch_too_large},
        {422, "Input validation error: `inputs` must have less than 512 tokens. Given: 513",
         TeiRefusal::input_too_long},
        {422, "Failed to deserialize the JSON body", TeiRefusal::other},
        {422, "tokenizer error broken", TeiRefusal::other},
        {400, "batch size 33 > maximum allowed batch size 32", TeiRefusal::other},
    };
    for (const Case& row : cases) {
        CAPTURE(row.words);
        CHECK(tei_refusal(row.status, row.words) == row.refusal);
    }
}
