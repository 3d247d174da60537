#include "search/searcher.h"

#include <doctest/doctest.h>

#include "search/searcher_test.h"

using namespace quarry;
using namespace quarry::search;
using Titles = std::vector<std::string>;

namespace {

struct Manual : TestLibrary {
    Manual() {
        put("https://docs.example.com/guide/install", "Installation",
            {{"Copy the program to a folder in your PATH. It needs no services."},
             {"On Windows the installer sets the PATH by itself.", {}, "Windows"},
             {"To remove the program, delete the file.", {}, "Removing"}});
        put("https://docs.example.com/guide/limits", "Rate limits",
            {{"The API has a rate limit of ten requests per second."}});
        put("https://docs.example.com/reference/vector", "std::vector",
            {{"`std::vector` is a sequence container. Use `push_back()` to add to it."}});
        put("https://blog.example.org/limits", "On the limit of my patience",
            {{"What rate of noise is fine? I have a limit. The API of my neighbour has none."}});
    }
};

}  // namespace

TEST_CASE("pages are found by their words, in any form") {
    Manual manual;

    CHECK(manual.titles({.query = "requests per second"}) == Titles{"Rate limits"});
    CHECK(manual.titles({.query = "installing"}).at(0) == "Installation");
    CHECK(manual.titles({.query = "zebra"}).empty());
}

TEST_CASE("a page is one hit, with its best passages first") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "installer for windows, the program"});

    REQUIRE(answer.hits.size() == 1);
    const Hit& hit = answer.hits[0];
    CHECK(hit.label.url == "https://docs.example.com/guide/install");
    REQUIRE(hit.passages.size() == 3);
    CHECK(hit.passages[0].headings == Titles{"Installation", "Windows"});
    CHECK(hit.passages[0].ref == ChunkRef{PageId{1}, 1});
    CHECK(hit.passages[0].score >= hit.passages[1].score);
    CHECK(hit.score == hit.passages[0].score);
    CHECK(hit.passages[0].snippet.text == "On Windows the installer sets the PATH by itself.");
    CHECK(hit.passages[0].snippet.marks.size() == 2);
}

TEST_CASE("every passage is a hit if asked for") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "program path", .all_chunks = true});

    CHECK(answer.hits.size() == 3);
    for (const Hit& hit : answer.hits) {
        CHECK(hit.page == PageId{1});
        CHECK(hit.passages.size() == 1);
    }
}

TEST_CASE("passages come with their neighbours if asked for, up to the ends of the page") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "windows", .context = 1});

    REQUIRE(answer.hits.size() == 1);
    CHECK(answer.hits[0].passages.at(0).text ==
          "Copy the program to a folder in your PATH. It needs no services.\n\n"
          "On Windows the installer sets the PATH by itself.\n\n"
          "To remove the program, delete the file.");
}

TEST_CASE("pages without passages are enough for a list") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "windows", .passages = 0});

    REQUIRE(answer.hits.size() == 1);
    CHECK(answer.hits[0].label.title == "Installation");
    CHECK(answer.hits[0].passages.empty());
}

TEST_CASE("an exact phrase is found only where its words follow each other") {
    Manual manual;

    CHECK(manual.titles({.query = "rate limit api"}).size() == 2);
    CHECK(manual.titles({.query = "\"rate limit\" api"}) == Titles{"Rate limits"});
    CHECK(manual.titles({.query = "\"limit rate\""}).empty());
    CHECK(manual.titles({.query = "\"a rate limit of ten\""}) == Titles{"Rate limits"});
}

TEST_CASE("a phrase may stand in a heading, or within an identifier and what follows it") {
    Manual manual;

    CHECK(manual.titles({.query = "\"limit of my patience\""}) == Titles{"On the limit of my patience"});
    CHECK(manual.titles({.query = "\"vector is a sequence\""}) == Titles{"std::vector"});
}

TEST_CASE("a phrase of one word must occur, while other words only may") {
    Manual manual;

    CHECK(manual.titles({.query = "api requests"}).size() == 2);
    CHECK(manual.titles({.query = "api \"requests\""}) == Titles{"Rate limits"});
}

TEST_CASE("words and phrases can be excluded") {
    Manual manual;

    CHECK(manual.titles({.query = "limit -noise"}) == Titles{"Rate limits"});
    CHECK(manual.titles({.query = "limit -\"ten requests\""}) == Titles{"On the limit of my patience"});
    CHECK(manual.titles({.query = "limit -limit"}).empty());
}

TEST_CASE("identifiers are found as typed") {
    Manual manual;

    CHECK(manual.titles({.query = "std::vector"}).at(0) == "std::vector");
    CHECK(manual.titles({.query = "push_back()"}) == Titles{"std::vector"});
    CHECK(manual.titles({.query = "push"}) == Titles{"std::vector"});
}

TEST_CASE("a search is narrowed by flags and by operators alike") {
    Manual manual;
    SearchRequest by_flag{.query = "limit"};
    by_flag.filter.host = "example.org";

    CHECK(manual.titles(by_flag) == Titles{"On the limit of my patience"});
    CHECK(manual.titles({.query = "limit site:docs.example.com"}) == Titles{"Rate limits"});
    CHECK(manual.titles({.query = "path path:/guide"}) == Titles{"Installation"});
    CHECK(manual.titles({.query = "path path:/reference"}).empty());
    CHECK(manual.titles({.query = "limit lang:de"}).empty());
}

TEST_CASE("a flag counts more than an operator that contradicts it") {
    Manual manual;
    SearchRequest request{.query = "limit site:example.org"};
    request.filter.host = "docs.example.com";

    CHECK(manual.titles(request) == Titles{"Rate limits"});
}

TEST_CASE("the text of a batch has no operators") {
    Manual manual;

    CHECK(manual.titles({.query = "\"rate limit\" -noise", .syntax = Syntax::plain}).size() == 2);
}

TEST_CASE("hits come a page at a time, each once and in the same order") {
    TestLibrary library;
    for (int i = 0; i < 57; ++i)
        library.put("https://a.example/" + std::to_string(i), "Page " + std::to_string(i),
                    {{"limit " + std::string(static_cast<std::size_t>(i) * 4, 'x')}, {"limit again"}});
    const Titles all = library.titles({.query = "limit", .limit = 100});

    Titles paged;
    for (int offset = 0; offset < 60; offset += 10)
        for (const std::string& title : library.titles({.query = "limit", .limit = 10, .offset = offset}))
            paged.push_back(title);

    CHECK(all.size() == 57);
    CHECK(paged == all);
    CHECK(library.titles({.query = "limit", .offset = 60}).empty());
}

TEST_CASE("a word that nothing has gets suggestions in the spelling of the texts") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "sequense of things"});
    CHECK(answer.hits.empty());
    REQUIRE_FALSE(answer.suggestions.empty());
    CHECK(answer.suggestions[0] == "sequence of things");
}

TEST_CASE("a misspelled word among others gets suggestions too, but known words do not") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "requests per secund"});

    CHECK(answer.hits.size() == 1);
    REQUIRE_FALSE(answer.suggestions.empty());
    CHECK(answer.suggestions[0] == "requests per second");
    CHECK(manual.search({.query = "requests windows"}).suggestions.empty());
}

TEST_CASE("a request that makes no sense is refused") {
    Manual manual;
    const Searcher searcher({.index = *manual.index});

    for (const SearchRequest& request :
         {SearchRequest{.query = "?"}, SearchRequest{.query = "x", .limit = 0},
          SearchRequest{.query = "x", .offset = -1}, SearchRequest{.query = "x", .context = 1'000},
          SearchRequest{.query = "x", .passages = -1}}) {
        const auto answer = searcher.search(request);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("nothing is found in a collection that is not there") {
    Manual manual;

    const SearchAnswer answer = manual.search({.query = "limit", .collection = "none"});

    CHECK(answer.hits.empty());
    CHECK(answer.suggestions.empty());
}
