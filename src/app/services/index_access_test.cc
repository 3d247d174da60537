#include "app/services/index_access.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "servers/postgres.h"
#include "servers/temporary_folder.h"
#include "store/rows/pages.h"
#include "store/sqlite/store.h"

namespace quarry::app {
namespace {

#define DATABASE(url)                                        \
    test::Postgres* const server = test::Postgres::shared(); \
    if (!server) {                                           \
        MESSAGE("skipped: PostgreSQL is not installed");     \
        return;                                              \
    }                                                        \
    const std::string url = server->url(server->create_database())

std::vector<index::IndexedPage> one_page() {
    std::vector<index::IndexedPage> pages(1);
    pages[0].page = PageId{7};
    pages[0].version = 1;
    pages[0].chunks.emplace_back().chunk.text = "words";
    return pages;
}

// Ends the changes that wait in the outbox, and returns how many there were.
std::size_t finish_changes(store::Store& store) {
    const WorkerId worker = store.register_worker("test").value();
    const auto leased = store.lease({.worker = worker, .changes = 10}).value();
    for (const store::ChangeLease& change : leased.changes) {
        REQUIRE(store.finish({{change.lease, {.end = store::Completed{}}}}));
    }
    return leased.changes.size();
}

TEST_CASE("a damaged replica is set aside and read again from PostgreSQL") {
    DATABASE(url);
    const test::TemporaryFolder folder;
    const std::string path = folder.file("index.db");
    REQUIRE(FollowedIndex::open({.database = {.url = url}}).value()->index().replace("default", one_page()));
    std::ofstream(path) << "this is no index";
    std::string said;

    const auto opened = FollowedIndex::open({.database = {.url = url},
                                             .replica = path,
                                             .follows = false,
                                             .log = [&](std::string_view line) { said += line; }})
                            .value();

    CHECK(opened->index().facts("default").value().pages == 1);
    CHECK(said.find("set aside") != std::string::npos);
    CHECK(std::filesystem::exists(path + ".damaged"));
}

TEST_CASE("an index that was never asked for a store's pages asks for all of them, once") {
    DATABASE(url);
    const test::TemporaryFolder folder;
    const auto store = store::open_sqlite_store({.path = folder.file("quarry.db")}).value();
    PageWrite write{.key = {1, 2}};
    write.facts = {.url = "https://a.example/", .status = 200, .content_hash = 5};
    write.content = store::pack({.markdown = "words", .details = "{}"}).value();
    store::PageBatch batch;
    batch.pages.push_back(std::move(write));
    REQUIRE(store->write_pages(std::move(batch)));
    CHECK(finish_changes(*store) == 1);
    const auto index = FollowedIndex::open({.database = {.url = url}}).value();

    REQUIRE(index->begin(*store));

    CHECK(finish_changes(*store) == 1);
    REQUIRE(index->begin(*store));
    CHECK(finish_changes(*store) == 0);
}

TEST_CASE("without a replica nobody follows") {
    DATABASE(url);
    const auto index = FollowedIndex::open({.database = {.url = url}}).value();

    CHECK(index->spaces() == nullptr);
    CHECK(index->follower() == nullptr);
    CHECK(index->index().match("default", {}, {}, 1).error().code == ErrorCode::unsupported);
}

}  // namespace
}  // namespace quarry::app
