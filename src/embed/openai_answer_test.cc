#include "embed/openai_answer.h"

#include <doctest/doctest.h>

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
