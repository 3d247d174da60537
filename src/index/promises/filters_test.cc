// What every index promises of filters: every field narrows, for words and for vectors.
#include "index/promises/backend.h"

namespace quarry::index::promises {

namespace {

struct Place {
    std::int64_t page;
    std::string host, path, language;
    std::int64_t fetched_at;
};

const std::vector<Place> places = {
    {1, "example.com", "/", "en", 1'000},
    {2, "docs.example.com", "/guide/install", "en", 2'000},
    {3, "docs.example.com", "/guide/use", "de", 3'000},
    {4, "notexample.com", "/guide", "en", 4'000},
    {5, "", "/home/me/notes.md", "", 5'000},
};

void put_places(Backend& backend) {
    backend.use_service(2);
    for (const Place& place : places) {
        IndexedPage page = page_of(place.page, {chunk_of("word", {1, 0})});
        page.label.host = place.host;
        page.label.path = place.path;
        page.label.language = place.language;
        page.label.fetched_at = Timestamp(std::chrono::milliseconds(place.fetched_at));
        backend.put(std::move(page));
    }
}

Timestamp at(std::int64_t milliseconds) {
    return Timestamp(std::chrono::milliseconds(milliseconds));
}

}  // namespace

TEST_CASE_TEMPLATE("a filter narrows what words and vectors find", Backend, EVERY_INDEX) {
    Backend backend;
    put_places(backend);
    struct Row {
        Filter filter;
        std::vector<std::int64_t> pages;
        const char* reason;
    };
    const std::vector<Row> rows = {
        {{}, {1, 2, 3, 4, 5}, "nothing asked"},
        {{.host = "example.com"}, {1, 2, 3}, "a host has its subdomains"},
        {{.host = "docs.example.com"}, {2, 3}, "and not those above it"},
        {{.host = "nowhere.example"}, {}, "no such host"},
        {{.path_prefix = "/guide"}, {2, 3, 4}, "on any host"},
        {{.path_prefix = "/home/me/"}, {5}, "a file's path"},
        {{.language = "en"}, {1, 2, 4}, "a language"},
        {{.since = at(3'000)}, {3, 4, 5}, "from that moment on"},
        {{.until = at(3'000)}, {1, 2, 3}, "up to that moment"},
        {{.since = at(2'000), .until = at(2'999)}, {2}, "between two"},
        {{.host = "example.com", .path_prefix = "/guide/", .language = "de"}, {3}, "all of these"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        std::vector<ChunkRef> expected;
        for (const std::int64_t page : row.pages) expected.push_back(ref(page, 0));

        auto by_words = backend.match("word", row.filter);
        auto by_vector = backend.nearest({1, 0}, row.filter);

        std::ranges::sort(by_words);
        std::ranges::sort(by_vector);
        CHECK(by_words == expected);
        CHECK(by_vector == expected);
    }
}

TEST_CASE_TEMPLATE("what a page says of itself now is what filters ask", Backend, EVERY_INDEX) {
    Backend backend;
    IndexedPage page = page_of(1, {chunk_of("word")}, 1);
    page.label.language = "en";
    backend.put(page);
    page.version = 2;
    page.label.language = "de";
    backend.put(std::move(page));

    CHECK(backend.match("word", {.language = "en"}).empty());
    CHECK(backend.match("word", {.language = "de"}).size() == 1);
}

TEST_CASE_TEMPLATE("a filter does not cost places among the best", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    std::vector<IndexedPage> pages;
    for (int page = 1; page <= 500; ++page) {
        pages.push_back(page_of(page, {chunk_of("word word word", {1, 0})}));
    }
    for (int page = 501; page <= 505; ++page) {
        pages.push_back(page_of(page, {chunk_of("word and much else besides", {1, 1})}));
        pages.back().label.host = "rare.example";
    }
    REQUIRE(backend.index->replace("default", std::move(pages)));

    CHECK(backend.match("word", {.host = "rare.example"}).size() == 5);
    CHECK(backend.nearest({1, 0}, {.host = "rare.example"}).size() == 5);
}

}  // namespace quarry::index::promises
