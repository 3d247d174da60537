#include <string>

#include <doctest/doctest.h>

#include "embed/answers.h"

using namespace quarry::embed;

TEST_CASE("the words of an error are found in every shape that services have for one") {
    struct Case {
        std::string body, words;
    };
    const Case cases[] = {
        {R"({"error":"unhealthy","error_type":"Unhealthy"})", "unhealthy"},
        {R"({"message":"too long","code":422,"error_type":"Validation"})", "too long"},
        {R"({"error":{"message":"bad key","type":"invalid_request_error","param":null}})", "bad key"},
        {"Failed to buffer the request body", "Failed to buffer the request body"},
        {R"({"error":7})", R"({"error":7})"},
        {R"(["a"])", R"(["a"])"},
        {"", ""},
    };
    for (const Case& row : cases) {
        CAPTURE(row.body);
        CHECK(words_of_error(row.body) == row.words);
    }
}

TEST_CASE("quoted words are one short clean line without the key") {
    CHECK(quoted_words("  two\nlines\x01 ", "") == "two lines");
    CHECK(quoted_words("Incorrect key provided: sk-secret, sk-secret!", "sk-secret") ==
          "Incorrect key provided: [key], [key]!");
    CHECK(quoted_words("gr\xc3\xbc\xc3\x9f dich, \xff\xc3", "") == "gr\xc3\xbc\xc3\x9f dich, ??");
    CHECK(quoted_words(std::string(5'000, 'x'), "").size() == 300);
    // A character that does not fit whole is left out.
    CHECK(quoted_words(std::string(299, 'x') + "\xc3\xbc", "").size() == 299);
}
