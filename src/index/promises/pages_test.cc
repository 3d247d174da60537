// What every index promises of pages: replaced whole, in order, and gone when removed.
#include "index/promises/backend.h"

namespace quarry::index::promises {

TEST_CASE_TEMPLATE("a page is found as soon as it was put in", Backend, EVERY_INDEX) {
    Backend backend;

    backend.put(7, {"install the program", "remove the program"});

    CHECK(backend.match("remove") == std::vector{ref(7, 1)});
    CHECK(backend.facts().pages == 1);
    CHECK(backend.facts().chunks == 2);
}

TEST_CASE_TEMPLATE("a chunk comes back as it was put in", Backend, EVERY_INDEX) {
    Backend backend;
    IndexedPage page = page_of(7, {chunk_of("first"), chunk_of("second")});
    page.chunks[1].chunk = {.text = "# A\n\nsecond 日本", .headings = {"A", "B ü"}, .begin = 10, .end = 30};
    page.label.description = "what it is about";
    page.label.content_hash = 0xfedcba9876543210;
    page.label.fetched_at = Timestamp(std::chrono::milliseconds(1'760'000'000'123));
    const PageLabel label = page.label;
    backend.put(std::move(page));

    const ChunkRef wanted = ref(7, 1);
    const auto found = backend.index->read("default", {&wanted, 1}).value();

    REQUIRE(found.size() == 1);
    CHECK(found[0].ref == wanted);
    CHECK(found[0].chunk.text == "# A\n\nsecond 日本");
    CHECK(found[0].chunk.headings == std::vector<std::string>{"A", "B ü"});
    CHECK(found[0].chunk.begin == 10);
    CHECK(found[0].chunk.end == 30);
    CHECK(found[0].label.id == label.id);
    CHECK(found[0].label.url == label.url);
    CHECK(found[0].label.host == label.host);
    CHECK(found[0].label.path == label.path);
    CHECK(found[0].label.title == label.title);
    CHECK(found[0].label.description == label.description);
    CHECK(found[0].label.language == label.language);
    CHECK(found[0].label.status == label.status);
    CHECK(found[0].label.content_hash == label.content_hash);
    CHECK(found[0].label.fetched_at == label.fetched_at);
}

TEST_CASE_TEMPLATE("chunks are read in the order asked for, without those that are not there", Backend,
                   EVERY_INDEX) {
    Backend backend;
    std::vector<std::string> texts;
    for (int at = 0; at < 40; ++at) texts.push_back("chunk number" + std::to_string(at));
    backend.put(1, texts);
    backend.put(2, {"other"});

    const std::vector<ChunkRef> wanted{ref(1, 39), ref(3, 0), ref(2, 0), ref(1, 40), ref(1, 0), ref(1, 17)};
    const auto found = backend.index->read("default", wanted).value();

    REQUIRE(found.size() == 4);
    CHECK(found[0].chunk.text == "chunk number39");
    CHECK(found[1].chunk.text == "other");
    CHECK(found[2].chunk.text == "chunk number0");
    CHECK(found[3].chunk.text == "chunk number17");
}

TEST_CASE_TEMPLATE("a page that is replaced has only its new chunks", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"alpha", "beta", "gamma"}, 1);

    backend.put(7, {"delta"}, 2);

    CHECK(backend.match("alpha beta gamma").empty());
    CHECK(backend.match("delta") == std::vector{ref(7, 0)});
    CHECK(backend.facts().pages == 1);
    CHECK(backend.facts().chunks == 1);
}

TEST_CASE_TEMPLATE("an older version of a page changes nothing", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"new"}, 5);

    backend.put(7, {"old"}, 4);
    backend.remove(7, 4);

    CHECK(backend.match("old").empty());
    CHECK(backend.match("new").size() == 1);
}

TEST_CASE_TEMPLATE("doing the same again changes nothing", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"alpha", "beta"}, 3);
    backend.put(7, {"alpha", "beta"}, 3);

    CHECK(backend.match("alpha").size() == 1);
    CHECK(backend.facts().chunks == 2);
    backend.remove(7, 4);
    backend.remove(7, 4);
    CHECK(backend.facts().chunks == 0);
}

TEST_CASE_TEMPLATE("a page that was removed is not found, and can come back", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"alpha"}, 1);
    backend.put(8, {"alpha"}, 2);

    backend.remove(7, 3);

    CHECK(backend.match("alpha") == std::vector{ref(8, 0)});
    CHECK(backend.facts().pages == 1);
    const ChunkRef gone = ref(7, 0);
    CHECK(backend.index->read("default", {&gone, 1}).value().empty());
    backend.put(7, {"alpha beta"}, 4);
    CHECK(backend.match("beta") == std::vector{ref(7, 0)});
}

TEST_CASE_TEMPLATE("a page without chunks is known and never found", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"alpha"}, 1);
    backend.put(7, std::vector<std::string>{}, 2);

    CHECK(backend.match("alpha").empty());
    CHECK(backend.facts().chunks == 0);
}

TEST_CASE_TEMPLATE("many pages are replaced at once", Backend, EVERY_INDEX) {
    Backend backend;
    std::vector<IndexedPage> pages;
    for (int page = 1; page <= 300; ++page) {
        pages.push_back(page_of(page, {chunk_of("common word" + std::to_string(page)), chunk_of("common")}));
    }

    REQUIRE(backend.index->replace("default", std::move(pages)));

    CHECK(backend.facts().chunks == 600);
    CHECK(backend.match("word123") == std::vector{ref(123, 0)});
    CHECK(backend.match("common", {}, 1'000).size() == 600);
}

TEST_CASE_TEMPLATE("collections know nothing of each other", Backend, EVERY_INDEX) {
    Backend backend;
    backend.put(7, {"alpha"});
    backend.collection = "other";
    backend.put(7, {"beta"});

    CHECK(backend.match("alpha").empty());
    CHECK(backend.match("beta").size() == 1);
    CHECK(backend.index->collections().value() == std::vector<std::string>{"default", "other"});
    REQUIRE(backend.index->remove_collection("other"));
    CHECK(backend.match("beta").empty());
    CHECK(backend.index->collections().value() == std::vector<std::string>{"default"});
    backend.put(9, {"gamma"});
    CHECK(backend.match("beta gamma") == std::vector{ref(9, 0)});
    CHECK(backend.facts().pages == 1);
}

TEST_CASE_TEMPLATE("a collection that nobody has written to is empty", Backend, EVERY_INDEX) {
    Backend backend;
    backend.collection = "unknown";

    CHECK(backend.match("alpha").empty());
    CHECK(backend.nearest({1, 0}).empty());
    CHECK(backend.facts().pages == 0);
    CHECK(backend.index->collections().value().empty());
    backend.remove(7, 1);
    CHECK(backend.index->remove_collection("unknown"));
}

TEST_CASE_TEMPLATE("everything is there after a restart", Backend, EVERY_INDEX) {
    Backend backend;
    backend.use_service(2);
    backend.put(page_of(1, {chunk_of("alpha", {1, 0})}));
    backend.put(2, {"alpha beta"});
    backend.remove(2, 2);

    backend.restart();

    CHECK(backend.match("alpha") == std::vector{ref(1, 0)});
    CHECK(backend.nearest({1, 0}) == std::vector{ref(1, 0)});
    CHECK(backend.facts().pages == 1);
    CHECK(backend.facts().vectors == 1);
    CHECK(backend.facts().embedder.model == "m");
    backend.put(2, {"late"}, 1);
    backend.put(1, {"gamma"}, 2);
    CHECK(backend.match("alpha").empty());
    CHECK(backend.match("gamma") == std::vector{ref(1, 0)});
}

}  // namespace quarry::index::promises
