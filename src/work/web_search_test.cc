#include "work/web_search.h"

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::work;

TEST_CASE("results are read in order, each page once, and only pages that could be fetched") {
    const auto results = parse_searxng_answer(R"json({"query":"q","results":[
        {"url":"https://a.example/x","title":" A ","content":"about a","engine":"one"},
        {"url":"HTTPS://A.example/x","title":"again"},
        {"url":"javascript:alert(1)","title":"script"},
        {"url":"ftp://a.example/","title":"file"},
        {"url":7}, "text", null, {},
        {"url":"https://user:secret@b.example/","title":["no text"],"content":null}]})json",
                                              10);

    REQUIRE(results);
    REQUIRE(results->size() == 2);
    CHECK((*results)[0].url == "https://a.example/x");
    CHECK((*results)[0].title == "A");
    CHECK((*results)[0].description == "about a");
    CHECK((*results)[1].url == "https://b.example/");
    CHECK((*results)[1].title.empty());
}

TEST_CASE("no more is kept than was asked for, and long texts are cut between characters") {
    const std::string long_title = std::string(499, 'a') + "ü";
    const std::string body = R"({"results":[{"url":"https://a.example/","title":")" + long_title +
                             R"("},{"url":"https://b.example/"}]})";

    const auto results = parse_searxng_answer(body, 1);

    REQUIRE(results);
    REQUIRE(results->size() == 1);
    CHECK(results->front().title == std::string(499, 'a'));
}

TEST_CASE("what is no answer of SearXNG is refused") {
    for (const char* body : {"", "<html>", "[]", "{}", R"({"results":{}})", R"({"results":7})"}) {
        CAPTURE(body);
        const auto results = parse_searxng_answer(body, 10);
        REQUIRE_FALSE(results);
        CHECK(results.error().code == ErrorCode::corrupt);
    }
}
