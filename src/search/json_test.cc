#include "search/json.h"

#include <limits>

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::search;
namespace json = boost::json;

namespace {

SearchAnswer sample_answer() {
    Hit hit{.page = PageId{7}, .score = 0.5F};
    hit.label = {.id = "doc-1", .url = "https://a.example/x", .title = "Größe", .description = "About it"};
    hit.passages.push_back({.ref = {PageId{7}, 2},
                            .score = 0.5F,
                            .headings = {"Größe", "Use"},
                            .text = "How to **use** it.",
                            .snippet = {.text = "How to use it.", .marks = {{7, 10}}}});
    return {.hits = {hit}, .suggestions = {"usage"}, .mode = Mode::keyword, .warning = "no vectors"};
}

}  // namespace

TEST_CASE("an answer as JSON has stable names") {
    const json::object written = to_json(sample_answer(), {.query = "use", .collection = "docs"});

    CHECK(written == json::parse(R"({
        "query": "use", "collection": "docs", "mode": "keyword",
        "hits": [{"id": "doc-1", "url": "https://a.example/x", "title": "Größe", "description": "About it",
                  "score": 0.5, "page": 7,
                  "passages": [{"text": "How to **use** it.", "snippet": "How to use it.", "marks": [[7, 10]],
                                "headings": ["Größe", "Use"], "score": 0.5, "chunk": 2}]}],
        "suggestions": ["usage"], "warning": "no vectors"})"));
}

TEST_CASE("nothing found is an empty list, and says neither description nor warning") {
    const json::object written = to_json(SearchAnswer{}, {.query = "x"});

    CHECK(json::serialize(written) ==
          R"({"query":"x","collection":"default","mode":"hybrid","hits":[],"suggestions":[]})");
}

TEST_CASE("an answer comes back as it was sent") {
    const SearchRequest request{.query = "use"};
    const json::object sent = to_json(sample_answer(), request);

    const auto received = parse_answer(json::parse(json::serialize(sent)));

    REQUIRE(received);
    CHECK(to_json(*received, request) == sent);
    CHECK(received->hits.at(0).passages.at(0).ref == ChunkRef{PageId{7}, 2});
}

TEST_CASE("an answer that quarry cannot have written is refused") {
    const char* wrong[] = {
        R"(7)",
        R"({})",
        R"({"mode":"keyword","hits":7,"suggestions":[]})",
        R"({"mode":"loud","hits":[],"suggestions":[]})",
        R"({"mode":"keyword","hits":[{}],"suggestions":[]})",
        R"({"mode":"keyword","suggestions":[],"hits":[{"id":"a","url":"b","title":"c","score":1,"page":1,"passages":
            [{"text":"t","snippet":"ab","marks":[[1,3]],"headings":[],"score":1,"chunk":0}]}]})",
    };
    for (const char* text : wrong) {
        CAPTURE(text);
        CHECK_FALSE(parse_answer(json::parse(text)));
    }
}

TEST_CASE("a score that is no number is written as one that is") {
    SearchAnswer answer = sample_answer();
    answer.hits[0].score = std::numeric_limits<float>::quiet_NaN();

    CHECK(json::serialize(batch_line("q1", answer)) ==
          R"({"id":"q1","hits":[{"id":"doc-1","url":"https://a.example/x","score":0}]})");
}

TEST_CASE("a request comes back as it was sent") {
    SearchRequest request{.query = "\"a b\" -c",
                          .collection = "docs",
                          .limit = 3,
                          .offset = 20,
                          .mode = Mode::vector,
                          .all_chunks = true,
                          .passages = 1,
                          .context = 2,
                          .rerank = true,
                          .syntax = Syntax::plain};
    request.filter = {.host = "a.example", .path_prefix = "/x", .language = "de"};
    request.filter.since = Timestamp(std::chrono::milliseconds(1'700'000'000'123));
    const json::object sent = to_json(request);

    const auto received = parse_request(json::parse(json::serialize(sent)));

    REQUIRE(received);
    CHECK(to_json(*received) == sent);
    CHECK(received->filter.since == request.filter.since);
    CHECK_FALSE(received->filter.until);
}

TEST_CASE("what a request leaves out has its default, and what is wrong is named") {
    const auto request = parse_request(json::parse(R"({"query":"x"})"));

    REQUIRE(request);
    CHECK(to_json(*request) == to_json(SearchRequest{.query = "x"}));
    const std::pair<const char*, const char*> wrong[] = {
        {R"({"query":"x","later":1})", "later"},
        {R"({"limit":0})", "limit"},
        {R"({"query":1})", "query"},
        {R"({"limit":1.5})", "limit"},
        {R"({"limit":99999999999})", "limit"},
        {R"({"rerank":"yes"})", "rerank"},
        {R"({"since":"2024"})", "since"},
        {R"({"mode":"loud"})", "loud"},
        {R"([])", "object"},
    };
    for (const auto& [text, named] : wrong) {
        const auto result = parse_request(json::parse(text));
        REQUIRE_FALSE(result);
        CHECK(result.error().message.find(named) != std::string::npos);
        CHECK(result.error().code == ErrorCode::invalid_argument);
    }
}
