// Searching while somebody writes: in other threads of the process, and in processes that only read.
#include <atomic>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "index/embedded/embedded_index.h"
#include "index/promises/backend.h"
#include "servers/temporary_folder.h"

namespace quarry::test {

namespace {

using Access = index::EmbeddedIndexConfig::Access;
using index::promises::chunk_of;
using index::promises::page_of;
using index::promises::ref;

std::vector<index::IndexedPage> one_page(std::int64_t page, int chunks, std::int64_t version) {
    std::vector<index::IndexedChunk> made;
    for (int at = 0; at < chunks; ++at) {
        made.push_back(chunk_of(fmt::format("word page{} version{}", page, version), {1, 1}));
    }
    std::vector<index::IndexedPage> pages;
    pages.push_back(page_of(page, std::move(made), version));
    return pages;
}

std::size_t found(index::Index& index, const std::string& word) {
    index::KeywordQuery query;
    query.words = {{word, 1}};
    return index.match("c", query, {}, 10'000).value().size();
}

}  // namespace

TEST_CASE("a search sees all chunks of a page or all of its former ones, while it is replaced") {
    const TemporaryFolder folder;
    auto index = index::open_embedded_index({.path = folder.file("index.db"), .tail_chunks = 30}).value();
    REQUIRE(index->set_embedder("c", {.provider = "tei", .model = "m", .dimensions = 2}));
    // Five chunks or three, never four, never eight.
    REQUIRE(index->replace("c", one_page(1, 5, 1)));
    std::atomic<bool> is_over = false;
    std::atomic<int> wrong_by_words = 0, wrong_by_vector = 0, asked = 0;
    std::vector<std::jthread> searchers;
    for (int thread = 0; thread < 3; ++thread) {
        searchers.emplace_back([&] {
            while (!is_over) {
                const std::size_t chunks = found(*index, "page1");
                if (chunks != 5 && chunks != 3) ++wrong_by_words;
                const auto near = index->nearest("c", std::vector<float>{1, 1}, {}, 1'000).value();
                const auto of_page = std::ranges::count_if(
                    near, [](const index::Scored& hit) { return hit.chunk.page == PageId{1}; });
                if (of_page != 5 && of_page != 3) ++wrong_by_vector;
                (void)index->read("c", std::vector{ref(1, 0), ref(1, 4), ref(2, 0)}).value();
                (void)index->facts("c").value();
                ++asked;
            }
        });
    }

    for (int version = 2; version < 150 || asked < 50; ++version) {
        REQUIRE(index->replace("c", one_page(1, version % 2 == 0 ? 3 : 5, version)));
        REQUIRE(index->replace("c", one_page(2 + version % 40, 3, version)));
        if (version % 50 == 0) REQUIRE(index->settle());
    }
    is_over = true;
    searchers.clear();

    CHECK(wrong_by_words.load() == 0);
    CHECK(wrong_by_vector.load() == 0);
}

TEST_CASE("several threads may write") {
    const TemporaryFolder folder;
    auto index = index::open_embedded_index({.path = folder.file("index.db"), .tail_chunks = 30}).value();
    {
        std::vector<std::jthread> writers;
        for (int thread = 0; thread < 3; ++thread) {
            writers.emplace_back([&, thread] {
                for (int page = 0; page < 30; ++page) {
                    index->replace("c", one_page(thread * 100 + page, 2, 1)).value();
                }
            });
        }
    }
    CHECK(index->facts("c").value().chunks == 180);
    CHECK(found(*index, "word") == 180);
}

TEST_CASE("who only reads sees what another process writes, and cannot write") {
    const TemporaryFolder folder;
    const std::string path = folder.file("index.db");
    CHECK(index::open_embedded_index({.path = path, .access = Access::read}).error().code ==
          ErrorCode::not_found);
    auto writer = index::open_embedded_index({.path = path, .tail_chunks = 10}).value();
    REQUIRE(writer->replace("c", one_page(1, 3, 1)));

    auto reader = index::open_embedded_index({.path = path, .access = Access::read}).value();

    CHECK(found(*reader, "page1") == 3);
    for (int page = 2; page < 40; ++page) REQUIRE(writer->replace("c", one_page(page, 3, 1)));
    CHECK(found(*reader, "word") == 117);
    REQUIRE(writer->settle());
    CHECK(found(*reader, "word") == 117);
    CHECK(reader->nearest("c", std::vector<float>{1, 1}, {}, 1'000).value().size() == 117);
    CHECK(reader->read("c", std::vector{ref(7, 2)}).value().size() == 1);
    CHECK(!reader->replace("c", one_page(1, 1, 2)));
    CHECK(!reader->settle());
    writer.reset();
    CHECK(found(*reader, "word") == 117);
}

TEST_CASE("a file that nobody writes is read without being changed") {
    const TemporaryFolder folder;
    const std::string path = folder.file("index.db");
    {
        auto writer = index::open_embedded_index({.path = path, .tail_chunks = 10}).value();
        for (int page = 1; page < 20; ++page) REQUIRE(writer->replace("c", one_page(page, 3, 1)));
    }
    const std::string before = read_file(path);

    {
        auto reader = index::open_embedded_index({.path = path, .access = Access::read}).value();
        CHECK(found(*reader, "word") == 57);
    }

    CHECK(read_file(path) == before);
}

}  // namespace quarry::test
