// What is promised of the builtin space: it is filled while the former one answers, and used at once.
#include <set>

#include "index/promises/backend.h"

namespace quarry::index::promises {

namespace {

void put_pages(Backend& backend, int pages, int chunks) {
    REQUIRE(backend.index->set_embedder("default", {.provider = "builtin", .dimensions = 2}));
    for (int page = 1; page <= pages; ++page) {
        std::vector<std::string> texts;
        for (int chunk = 0; chunk < chunks; ++chunk) {
            texts.push_back("p" + std::to_string(page) + "c" + std::to_string(chunk));
        }
        backend.put(page, texts);
    }
}

// Gives every chunk that has none the same vector.
int fill(EmbeddedIndex& index, int space, const std::vector<float>& vector) {
    int filled = 0;
    for (std::int64_t after = 0;;) {
        const auto chunks = index.chunks_without("default", space, after, 7).value();
        if (chunks.empty()) return filled;
        std::vector<EmbeddedIndex::ChunkVector> vectors;
        for (const auto& chunk : chunks) vectors.push_back({.id = chunk.id, .vector = vector});
        REQUIRE(index.add_vectors("default", space, vectors));
        after = chunks.back().id;
        filled += static_cast<int>(chunks.size());
    }
}

}  // namespace

TEST_CASE_TEMPLATE("chunks are given in batches, all of them once", Backend, INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 9, 20);
    backend.remove(4, 2);
    backend.put(5, {"new"}, 2);

    std::set<std::string> texts;
    std::int64_t after = 0;
    std::size_t given = 0;
    while (true) {
        const auto batch = backend.embedded().chunks_after("default", after, 11, 1).value();
        if (batch.empty()) break;
        for (const auto& chunk : batch) {
            CHECK(chunk.id > after);
            after = chunk.id;
            texts.insert(chunk.chunk.text);
            CHECK(chunk.title.starts_with("Page "));
        }
        given += batch.size();
    }

    CHECK(given == 7 * 20 + 1);
    CHECK(texts.size() == given);
    CHECK(texts.contains("new"));
    CHECK(texts.contains("p9c19"));
    CHECK(!texts.contains("p4c0"));
}

TEST_CASE_TEMPLATE("a stride gives a sample from all over", Backend, INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 10, 20);

    const auto sample = backend.embedded().chunks_after("default", 0, 1'000, 10).value();

    CHECK(sample.size() == 20);
    CHECK(sample.front().chunk.text.starts_with("p1c"));
    CHECK(sample.back().chunk.text.starts_with("p10c"));
}

TEST_CASE_TEMPLATE("a space answers when it is put to use, not before", Backend, INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 3, 4);
    EmbeddedIndex& index = backend.embedded();
    CHECK(!index.space("default", 0).value());

    const int space = index.begin_space("default", 12, "a space").value();
    CHECK(fill(index, space, {1, 0}) == 12);
    CHECK(backend.nearest({1, 0}).empty());
    CHECK(backend.facts().space == 0);
    REQUIRE(index.use_space("default", space));

    CHECK(backend.nearest({1, 0}, {}, 20).size() == 12);
    CHECK(backend.facts().space == space);
    CHECK(backend.facts().vectors == 12);
    CHECK(backend.facts().embedder.dimensions == 2);
    const auto stored = index.space("default", 0).value();
    REQUIRE(stored);
    CHECK(stored->version == space);
    CHECK(stored->fitted_on == 12);
    CHECK(stored->bytes == "a space");
    CHECK(!index.space("default", space).value());
}

TEST_CASE_TEMPLATE("pages that come while a space is filled may bring their vectors of it", Backend,
                   INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 3, 2);
    EmbeddedIndex& index = backend.embedded();
    const int first = index.begin_space("default", 6, "first").value();
    fill(index, first, {1, 0});
    REQUIRE(index.use_space("default", first));
    const int second = index.begin_space("default", 6, "second").value();

    IndexedPage page = page_of(2, {chunk_of("new", {1, 0})}, 2);
    page.next_space = second;
    page.chunks[0].next = {0, 1};
    backend.put(page);
    page = page_of(3, {chunk_of("of another space", {1, 0})}, 2);
    page.next_space = first + 100;
    page.chunks[0].next = {0, 1};
    backend.put(page);

    CHECK(backend.nearest({1, 0}, {}, 20).size() == 4);
    CHECK(fill(index, second, {1, 0}) == 3);
    REQUIRE(index.use_space("default", second));
    CHECK(index.nearest("default", std::vector<float>{0, 1}, {}, 1).value()[0].chunk == ref(2, 0));
    CHECK(backend.facts().vectors == 4);
}

TEST_CASE_TEMPLATE("pages that come while a space is filled are missing in it until they are added", Backend,
                   INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 3, 2);
    EmbeddedIndex& index = backend.embedded();
    const int first = index.begin_space("default", 6, "first").value();
    fill(index, first, {1, 0});
    REQUIRE(index.use_space("default", first));
    const int second = index.begin_space("default", 6, "second").value();
    CHECK(fill(index, second, {0, 1}) == 6);

    backend.put(page_of(2, {chunk_of("new", {1, 0})}, 2));

    CHECK(backend.nearest({1, 0}, {}, 20).size() == 5);
    const auto missing = index.chunks_without("default", second, 0, 10).value();
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].chunk.text == "new");
    CHECK(fill(index, second, {0, 1}) == 1);
    REQUIRE(index.use_space("default", second));
    const auto found = index.nearest("default", std::vector<float>{0, 1}, {}, 20).value();
    CHECK(found.size() == 5);
    for (const Scored& hit : found) CHECK(hit.score > 0.99F);
    CHECK(!index.add_vectors("default", first, {}));
}

TEST_CASE_TEMPLATE("a chunk that a space knows no word of is not asked for again", Backend,
                   INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 1, 3);
    EmbeddedIndex& index = backend.embedded();
    const int space = index.begin_space("default", 3, "space").value();
    const auto chunks = index.chunks_without("default", space, 0, 10).value();
    REQUIRE(chunks.size() == 3);

    const std::vector<EmbeddedIndex::ChunkVector> none{{.id = chunks[0].id}};
    REQUIRE(index.add_vectors("default", space, none));
    const std::vector<EmbeddedIndex::ChunkVector> one{{.id = chunks[1].id, .vector = {1, 0}}};
    REQUIRE(index.add_vectors("default", space, one));

    const auto missing = index.chunks_without("default", space, 0, 10).value();
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].id == chunks[2].id);
    REQUIRE(index.use_space("default", space));
    CHECK(backend.nearest({1, 0}) == std::vector{ref(1, 1)});
}

TEST_CASE_TEMPLATE("a space that was never put to use is gone after a restart", Backend,
                   INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 2, 2);
    const int used = backend.embedded().begin_space("default", 4, "used").value();
    fill(backend.embedded(), used, {1, 0});
    REQUIRE(backend.embedded().use_space("default", used));
    const int never = backend.embedded().begin_space("default", 4, "never").value();
    fill(backend.embedded(), never, {0, 1});

    backend.restart();

    CHECK(backend.facts().space == used);
    CHECK(backend.nearest({1, 0}).size() == 4);
    const auto gone = backend.embedded().use_space("default", never);
    REQUIRE(!gone);
    CHECK(gone.error().code == ErrorCode::not_found);
    CHECK(backend.embedded().begin_space("default", 4, "next").value() > never);
}

TEST_CASE_TEMPLATE("a vector of a chunk that has gone is no error", Backend, INDEXES_WITH_SPACES) {
    Backend backend;
    put_pages(backend, 1, 1);
    EmbeddedIndex& index = backend.embedded();
    const int space = index.begin_space("default", 1, "space").value();
    const auto before = index.chunks_without("default", space, 0, 10).value();
    backend.put(1, {"other"}, 2);

    const std::vector<EmbeddedIndex::ChunkVector> late{{.id = before.at(0).id, .vector = {1, 0}}};
    REQUIRE(index.add_vectors("default", space, late));
    REQUIRE(index.use_space("default", space));

    CHECK(backend.nearest({1, 0}).empty());
}

TEST_CASE_TEMPLATE("an index knows which database it was made from", Backend, INDEXES_WITH_SPACES) {
    Backend backend;
    CHECK(backend.embedded().source().value() == "");

    REQUIRE(backend.embedded().set_source("3f2a"));
    backend.restart();

    CHECK(backend.embedded().source().value() == "3f2a");
}

TEST_CASE_TEMPLATE("an index knows how far each collection has followed another", Backend,
                   INDEXES_WITH_SPACES) {
    Backend backend;
    CHECK(backend.embedded().position("default").value() == "");

    REQUIRE(backend.embedded().set_position("default", "17"));
    REQUIRE(backend.embedded().set_position("source", "4"));
    REQUIRE(backend.embedded().set_position("default", "18"));
    backend.restart();

    CHECK(backend.embedded().position("default").value() == "18");
    CHECK(backend.embedded().source().value() == "");
}

}  // namespace quarry::index::promises
