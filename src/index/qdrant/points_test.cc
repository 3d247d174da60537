// What a point is made of: its name, its words, its payload, and the filters that ask for it.
#include "index/qdrant/points.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "index/qdrant/service.h"

using namespace quarry;
using namespace quarry::index;
namespace json = boost::json;

namespace {

text::TermBag bag(std::initializer_list<text::TermCount> counts) {
    text::TermBag terms{.counts = counts};
    for (const text::TermCount& term : counts) terms.length += term.count;
    return terms;
}

IndexedPage example_page() {
    IndexedPage page{.page = PageId{7}, .version = 3};
    page.label = {.id = "https://docs.a.example/guide/install",
                  .url = "https://docs.a.example/guide/install",
                  .host = "docs.a.example",
                  .path = "/guide/install",
                  .title = "Installing",
                  .description = "How to",
                  .language = "en",
                  .status = 200,
                  .content_hash = 0xfedcba9876543210,
                  .fetched_at = Timestamp(std::chrono::milliseconds(1'760'000'000'123))};
    page.chunks.push_back({.chunk = {.text = "words", .headings = {"A", "B"}, .begin = 1, .end = 9},
                           .terms = bag({{"word", 2}})});
    return page;
}

}  // namespace

TEST_CASE("a point's id is the first half of the digest as a UUID") {
    CHECK(point_id("abc") == "ba7816bf-8f01-cfea-4141-40de5dae2223");
    CHECK(chunk_point("c", PageId{1}, 2, 3) == chunk_point("c", PageId{1}, 2, 3));

    const std::string ids[] = {chunk_point("c", PageId{1}, 2, 3), chunk_point("d", PageId{1}, 2, 3),
                               chunk_point("c", PageId{2}, 2, 3), chunk_point("c", PageId{1}, 1, 3),
                               chunk_point("c", PageId{1}, 2, 4), page_point("c", PageId{1}),
                               page_point("c", PageId{12}),       collection_point("c")};
    for (const auto& a : ids)
        for (const auto& b : ids) CHECK((a == b) == (&a == &b));
}

TEST_CASE("a collection's name survives Qdrant and URLs") {
    CHECK(qdrant_name("quarry-", "default") == "quarry-default");
    CHECK(qdrant_name("quarry-", "a b/ü~") == "quarry-a~20b~2f~c3~bc~7e");
    for (const char* name : {"default", "a b/ü~", "..", "%2e"})
        CHECK(collection_of("quarry-", qdrant_name("quarry-", name)) == name);
    CHECK(collection_of("quarry-", "somebody-else's").empty());
    CHECK(collection_of("quarry-", "quarry-~zz").empty());
    CHECK(collection_of("quarry-", "quarry-~2").empty());
}

TEST_CASE("a word weighs less the more often it is there, and in a longer chunk") {
    const auto value = [](std::uint32_t count, std::uint32_t length, double average) {
        text::TermBag terms = bag({{"word", count}});
        terms.length = length;
        return sparse_of(terms, average).values.at(0);
    };
    CHECK(value(1, 10, 10) == doctest::Approx(1.0));
    CHECK(value(2, 10, 10) == doctest::Approx(2 * 2.2 / 3.2));
    CHECK(value(100, 10, 10) < 2.2);
    CHECK(value(1, 20, 10) < value(1, 10, 10));
    CHECK(value(1, 10, 0) == doctest::Approx(1.0));
}

TEST_CASE("each index is there once, in order") {
    const auto vector = sparse_of(bag({{"b", 1}, {"a", 1}, {"c", 1}}), 3);
    REQUIRE(vector.indices.size() == 3);
    CHECK(std::ranges::is_sorted(vector.indices));

    const KeywordQuery::Word words[] = {{"a", 1}, {"a", 2}};
    CHECK(sparse_of(words).values == std::vector<float>{3});
}

TEST_CASE("a chunk's payload has the fields that others read too") {
    const auto payload = chunk_payload(example_page(), {.page = PageId{7}, .generation = 2, .index = 0});

    CHECK(payload.at("source_url") == "https://docs.a.example/guide/install");
    CHECK(payload.at("source_type") == "web_crawl");
    CHECK(payload.at("title") == "Installing");
    CHECK(payload.at("description") == "How to");
    CHECK(payload.at("status_code") == 200);
    CHECK(payload.at("crawl_timestamp") == "2025-10-09T08:53:20.123Z");
    CHECK(payload.at("file_path") == "https://docs.a.example/guide/install");
    CHECK(payload.at("chunk_index") == 0);
    CHECK(payload.at("chunk_text") == "words");
    CHECK(payload.at("heading_path") == "A > B");
    CHECK(payload.at("content_hash") == "fedcba9876543210");
    CHECK(payload.at("generation") == 2);
}

TEST_CASE("what was written is read, and what is something else is corrupt") {
    const IndexedPage page = example_page();
    json::object payload = chunk_payload(page, {.page = PageId{7}, .generation = 2, .index = 0});

    const auto found = read_chunk(payload);
    REQUIRE(found);
    CHECK(found->ref == ChunkRef{PageId{7}, 0});
    CHECK(found->chunk.headings == std::vector<std::string>{"A", "B"});
    CHECK(found->label.content_hash == page.label.content_hash);
    CHECK(found->label.fetched_at == page.label.fetched_at);

    for (const char* field : {"page", "chunk_index", "chunk_text", "headings", "source_url", "fetched_at"}) {
        json::object broken = payload;
        broken[field] = json::object{};
        CHECK(read_chunk(broken).error().code == ErrorCode::corrupt);
    }
    payload["chunk_index"] = -1;
    CHECK_FALSE(read_chunk_place(payload));
    CHECK_FALSE(read_page({{"kind", "page"}}));
    CHECK_FALSE(read_collection({}));
}

TEST_CASE("hosts are found by their ends and paths by their beginnings") {
    using Texts = std::vector<std::string>;
    CHECK(host_suffixes("docs.a.example") == Texts{"docs.a.example", "a.example", "example"});
    CHECK(host_suffixes("").empty());
    CHECK(path_prefixes("/guide/install") == Texts{"/", "/guide", "/guide/", "/guide/install"});
    CHECK(path_prefixes("/") == Texts{"/"});
    CHECK(path_prefixes("/a/") == Texts{"/", "/a", "/a/"});
    CHECK(path_prefixes("notes.md") == Texts{"notes.md"});
    std::string deep;
    for (int i = 0; i < 10'000; ++i) deep += "/a";
    CHECK(path_prefixes(deep).size() < 70);
}

TEST_CASE("a filter is conditions on indexed fields only") {
    const Filter filter{.host = "a.example",
                        .path_prefix = "/guide",
                        .language = "en",
                        .since = Timestamp(std::chrono::milliseconds(5))};
    KeywordQuery query;
    query.required = {"must"};
    query.excluded = {"not"};

    CHECK(to_qdrant(filter, query) ==
          json::object{{"must", json::parse(fmt::format(
                                    R"([{{"key":"hosts","match":{{"value":"a.example"}}}},
                                        {{"key":"path_prefixes","match":{{"value":"/guide"}}}},
                                        {{"key":"language","match":{{"value":"en"}}}},
                                        {{"key":"fetched_at","range":{{"gte":5}}}},
                                        {{"key":"words","match":{{"value":{}}}}}])",
                                    word_number("must")))},
                       {"must_not", json::parse(fmt::format(R"([{{"key":"words","match":{{"value":{}}}}}])",
                                                            word_number("not")))}});
}

TEST_CASE("answers are read out of their envelope") {
    CHECK(qdrant_result(R"({"time":0.1,"status":"ok","result":{"count":3}})").value() ==
          json::object{{"count", 3}});
    CHECK(qdrant_error(R"({"time":0,"status":{"error":"Not found: Collection `x` doesn't exist!"}})") ==
          "Not found: Collection `x` doesn't exist!");
    CHECK(qdrant_error("Payload too large") == "Payload too large");
    for (const char* body : {"", "[]", "{}", R"({"status":"ok"})", "<html>"}) {
        CAPTURE(body);
        CHECK(qdrant_result(body).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("results of another shape are corrupt") {
    CHECK(read_found(json::parse(R"({"points":[{"id":"x","version":1,"score":0.5,"payload":{"a":1}}]})"))
              .value()
              .at(0)
              .score == 0.5F);
    for (const char* result :
         {"null", "[]", R"({"points":7})", R"({"points":[7]})", R"({"points":[{"id":"x"}]})",
          R"({"points":[{"id":"x","score":null}]})", R"({"points":[{"id":7,"score":1}]})",
          R"({"points":[{"id":"x","score":1e99}]})"}) {
        CAPTURE(result);
        CHECK(read_found(json::parse(result)).error().code == ErrorCode::corrupt);
    }
    CHECK_FALSE(read_records(json::parse("{}")));
    CHECK_FALSE(read_count(json::parse(R"({"count":-1})")));
    CHECK_FALSE(read_count(json::parse(R"({"count":"many"})")));
    CHECK_FALSE(read_collection_names(json::parse(R"({"collections":[{}]})")));
    CHECK(read_completed(json::parse(R"({"status":"completed"})")).value());
    CHECK_FALSE(read_completed(json::parse(R"({"status":"wait_timeout"})")).value());
    CHECK_FALSE(read_completed(json::parse("true")));
}
