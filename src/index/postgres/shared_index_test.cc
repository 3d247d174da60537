// What only an index of many machines promises: replicas agree with the log, whatever happens to them.
#include "index/postgres/shared_index.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "index/promises/backend.h"

namespace quarry::index {

namespace {

using promises::chunk_of;
using promises::page_of;
using promises::ref;

// One process with a replica of its own.
class Place : public promises::Backend {
public:
    explicit Place(std::string url) : url_(std::move(url)) { open(); }
    ~Place() { close(); }

    void close() {
        index.reset();
        replica.reset();
    }
    void open() {
        replica = open_embedded_index({.path = path(), .tail_chunks = 64}).value();
        index = SharedIndex::open({.database = {.url = url_}, .replica = replica.get()}).value();
    }
    SharedIndex& shared() { return static_cast<SharedIndex&>(*index); }
    std::string path() const { return folder_.file("index.db"); }

    std::unique_ptr<EmbeddedIndex> replica;

private:
    std::string url_;
    test::TemporaryFolder folder_;
};

IndexedPage numbered(std::int64_t page, std::int64_t version) {
    const std::string words = "common page" + std::to_string(page) + " version" + std::to_string(version);
    return page_of(page, {chunk_of(words), chunk_of("second " + words)}, version);
}

std::vector<IndexedPage> many_pages(int count) {
    std::vector<IndexedPage> pages;
    for (int page = 1; page <= count; ++page) pages.push_back(numbered(page, 1));
    return pages;
}

// What the log holds of a collection: the text of each page's first chunk; "" for a page that was removed.
std::map<std::int64_t, std::string> texts_in(IndexLog& log) {
    std::map<std::int64_t, std::string> texts;
    const auto states = log.collections().value();
    for (const auto& state : states) {
        for (std::int64_t after = 0; after < state.sequence;) {
            const IndexLog::Batch batch = log.read(state.id, after, 100).value();
            for (const IndexedPage& page : batch.pages)
                texts[number(page.page)] = page.chunks.at(0).chunk.text;
            for (const RemovedPage& page : batch.removed) texts[number(page.page)] = "";
            after = batch.sequence;
        }
    }
    return texts;
}

std::string text_in(EmbeddedIndex& replica, std::int64_t page) {
    const ChunkRef wanted = ref(page, 0);
    const auto found = replica.read("default", {&wanted, 1}).value();
    return found.empty() ? "" : found[0].chunk.text;
}

#define DATABASE(url)                                        \
    test::Postgres* const server = test::Postgres::shared(); \
    if (!server) {                                           \
        MESSAGE("skipped: PostgreSQL is not installed");     \
        return;                                              \
    }                                                        \
    const std::string url = server->url(server->create_database())

}  // namespace

TEST_CASE("what one process writes another one finds") {
    DATABASE(url);
    Place here(url), there(url);

    here.use_service(2);
    here.put(page_of(1, {chunk_of("alpha", {1, 0})}));
    here.put(2, {"beta"});
    there.put(3, {"beta gamma"});

    CHECK(there.match("alpha") == std::vector{ref(1, 0)});
    CHECK(there.nearest({1, 0}) == std::vector{ref(1, 0)});
    CHECK(there.facts().embedder.model == "m");
    CHECK(here.match("beta").size() == 2);
    there.remove(2, 2);
    CHECK(here.match("beta") == std::vector{ref(3, 0)});
    REQUIRE(there.index->remove_collection("default"));
    CHECK(here.match("beta").empty());
    CHECK(here.index->collections().value().empty());
}

TEST_CASE("answers are those of an embedded index") {
    DATABASE(url);
    Place place(url);
    promises::OnEmbedded embedded;
    std::mt19937 random(5);
    for (promises::Backend* backend : std::initializer_list<promises::Backend*>{&place, &embedded}) {
        random.seed(5);
        backend->use_service(8);
        for (int page = 1; page <= 60; ++page) {
            std::string words = "common";
            for (int word = 0; word < 30; ++word) words += " w" + std::to_string(random() % 50);
            std::vector<float> vector(8);
            for (float& value : vector) value = static_cast<float>(random() % 200) - 100;
            backend->put(page_of(page, {chunk_of(words, vector)}));
        }
    }
    KeywordQuery query;
    query.words = {{"w7", 1}, {"w11", 2}, {"common", 1}};
    const std::vector<float> vector{1, 2, 3, 4, -5, -6, -7, 8};

    const auto ours = place.index->match("default", query, {}, 60).value();
    const auto theirs = embedded.index->match("default", query, {}, 60).value();

    REQUIRE(ours.size() == theirs.size());
    for (std::size_t at = 0; at < ours.size(); ++at) {
        CHECK(ours[at].chunk == theirs[at].chunk);
        CHECK(ours[at].score == theirs[at].score);
    }
    CHECK(place.nearest(vector) == embedded.nearest(vector));
}

TEST_CASE("a replica that was deleted is read again") {
    DATABASE(url);
    Place place(url);
    REQUIRE(place.index->replace("default", many_pages(700)));
    CHECK(place.facts().pages == 700);

    place.close();
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(place.path() + suffix);
    place.open();

    CHECK(place.facts().pages == 700);
    CHECK(place.match("page613").size() == 2);
}

TEST_CASE("a replica goes on where it was") {
    DATABASE(url);
    Place writer(url), place(url);
    REQUIRE(writer.index->replace("default", many_pages(700)));
    int batches = 0;

    REQUIRE(place.shared().follower()->catch_up([&](const auto&) { return batches++ < 1; }));

    const auto pages = place.replica->facts("default").value().pages;
    CHECK(pages > 0);
    CHECK(pages < 700);
    const std::string position = place.replica->position("default").value();
    place.close();
    place.open();
    CHECK(place.replica->position("default").value() == position);
    CHECK(place.facts().pages == 700);
}

TEST_CASE("a replica of another database is begun anew") {
    DATABASE(url);
    Place place(url), other(server->url(server->create_database()));
    place.put(1, {"alpha"});
    REQUIRE(place.index->set_embedder("more", {.provider = "none"}));
    CHECK(place.match("alpha").size() == 1);
    for (int page = 10; page < 15; ++page) other.put(page, {"beta"});
    CHECK(other.match("beta").size() == 5);

    // Both have a collection "default" with the id 1, and the other one's is further on.
    auto taken = Follower::open(place.shared().log(), *other.replica).value();
    REQUIRE(taken->catch_up());

    CHECK(other.replica->facts("default").value().pages == 1);
    CHECK(text_in(*other.replica, 1) == "alpha");
    CHECK(text_in(*other.replica, 10) == "");
    CHECK(other.replica->collections().value() == std::vector<std::string>{"default", "more"});
}

TEST_CASE("an embedded index that becomes a replica forgets what it had, and whose it was") {
    DATABASE(url);
    Place writer(url);
    writer.put(1, {"alpha"});
    promises::OnEmbedded embedded;
    embedded.put(1, {"own"}, 100);
    embedded.collection = "other";
    embedded.put(1, {"own"}, 100);
    REQUIRE(embedded.embedded().set_source("store"));

    auto follower = Follower::open(writer.shared().log(), embedded.embedded()).value();
    REQUIRE(follower->catch_up());

    CHECK(text_in(embedded.embedded(), 1) == "alpha");
    CHECK(embedded.embedded().collections().value() == std::vector<std::string>{"default"});
    CHECK(embedded.embedded().source().value() != "store");
}

TEST_CASE("a collection that was dropped and made anew has nothing of the former one") {
    DATABASE(url);
    Place here(url), there(url);
    here.use_service(2);
    for (int page = 1; page <= 3; ++page) here.put(page_of(page, {chunk_of("old", {1, 0})}, 50));
    CHECK(there.match("old").size() == 3);

    REQUIRE(here.index->remove_collection("default"));
    for (int page = 2; page <= 9; ++page) here.put(page, {"new"}, 1);

    CHECK(there.match("old").empty());
    CHECK(there.match("new").size() == 8);
    CHECK(there.facts().pages == 8);
    CHECK(there.facts().vectors == 0);
    CHECK(there.facts().embedder.provider == "");
}

TEST_CASE("a database that was restored from an older state is followed anew") {
    DATABASE(url);
    Place place(url);
    for (int page = 1; page <= 5; ++page) place.put(page, {"word"});
    CHECK(place.match("word").size() == 5);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(connection.execute(
        "delete from quarry.index_page where page > 2; delete from quarry.chunk where page > 2;"
        "update quarry.index_collection set sequence = 2"));

    CHECK(place.match("word").size() == 2);
}

TEST_CASE("vectors of a former embedder are not taken over") {
    DATABASE(url);
    Place here(url);
    here.use_service(2, "first");
    here.put(page_of(1, {chunk_of("alpha", {1, 0})}));
    here.put(page_of(2, {chunk_of("alpha", {0, 1})}));

    here.use_service(3, "second");
    here.put(page_of(2, {chunk_of("alpha", {0, 0, 1})}, 2));

    Place later(url);
    CHECK(later.nearest({0, 0, 1}) == std::vector{ref(2, 0)});
    CHECK(later.facts().vectors == 1);
    CHECK(later.match("alpha").size() == 2);
    CHECK(here.nearest({0, 0, 1}) == std::vector{ref(2, 0)});
    CHECK(later.shared().log().facts("default").value().vectors == 1);
}

TEST_CASE("what many write at once, a replica that follows all the time has in the end") {
    DATABASE(url);
    Place follower(url);
    std::atomic<int> failures = 0;
    std::atomic<bool> is_over = false;
    std::jthread following([&] {
        while (!is_over) failures += follower.shared().follower()->catch_up() ? 0 : 1;
    });
    {
        std::vector<std::jthread> writers;
        for (unsigned int writer = 0; writer < 4; ++writer) {
            writers.emplace_back([&, writer] {
                auto index = SharedIndex::open({.database = {.url = url}}).value();
                std::mt19937 random(writer);
                for (int round = 0; round < 60; ++round) {
                    std::vector<IndexedPage> pages;
                    for (int count = 0; count < 8; ++count)
                        pages.push_back(numbered(1 + random() % 120, random() % 1'000));
                    failures += index->replace("default", std::move(pages)) ? 0 : 1;
                    if (round % 5 != 0) continue;
                    const RemovedPage removed{.page = PageId{static_cast<std::int64_t>(1 + random() % 120)},
                                              .version = static_cast<std::int64_t>(random() % 1'000)};
                    failures += index->remove("default", {&removed, 1}) ? 0 : 1;
                }
            });
        }
    }
    is_over = true;
    following = {};
    REQUIRE(follower.shared().follower()->catch_up());

    CHECK(failures == 0);
    const auto expected = texts_in(follower.shared().log());
    CHECK(expected.size() == 120);
    for (const auto& [page, text] : expected) CHECK(text_in(*follower.replica, page) == text);
    const auto shown = follower.replica->facts("default").value();
    CHECK(shown.pages == follower.shared().log().facts("default").value().pages);
    CHECK(shown.chunks == 2 * shown.pages);
}

TEST_CASE("a collection may be dropped while others write to it") {
    DATABASE(url);
    Place place(url);
    std::atomic<int> failures = 0;
    {
        std::vector<std::jthread> writers;
        for (int writer = 0; writer < 3; ++writer) {
            writers.emplace_back([&] {
                for (int round = 1; round <= 30; ++round)
                    failures += place.index->replace("default", many_pages(5)) ? 0 : 1;
            });
        }
        for (int drops = 0; drops < 15; ++drops) {
            failures += place.index->remove_collection("default") ? 0 : 1;
            failures += place.index->match("default", {}, {}, 1) ? 0 : 1;
        }
    }
    CHECK(failures == 0);
    REQUIRE(place.index->replace("default", many_pages(5)));
    CHECK(place.facts().pages == 5);
    auto connection = db::PgConnection::open({.url = url}).value();
    CHECK(connection.query("select count(*) from quarry.chunk").value().integer(0, 0) == 10);
}

TEST_CASE("while PostgreSQL is away what is there is found, and what comes later afterwards") {
    const auto server = test::Postgres::start({.fsync = false});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    Place place(server->url());
    place.put(1, {"alpha"});
    CHECK(place.match("alpha").size() == 1);
    CHECK(!place.shared().trouble());

    server->stop_at_once();

    CHECK(place.match("alpha").size() == 1);
    REQUIRE(place.shared().trouble());
    CHECK(place.shared().trouble()->code == ErrorCode::unavailable);
    std::vector<IndexedPage> pages;
    pages.push_back(numbered(2, 1));
    CHECK(place.index->replace("default", pages).error().code == ErrorCode::unavailable);
    server->restart();
    while (!place.index->replace("default", pages)) std::this_thread::yield();
    CHECK(place.match("page2").size() == 2);
    CHECK(!place.shared().trouble());
}

TEST_CASE("without a replica pages can be written and counted, not found") {
    DATABASE(url);
    auto writer = SharedIndex::open({.database = {.url = url}}).value();
    REQUIRE(writer->set_embedder("default", {.provider = "tei", .model = "m", .dimensions = 2}));
    std::vector<IndexedPage> pages;
    pages.push_back(page_of(1, {chunk_of("alpha", {1, 0}), chunk_of("beta")}));

    REQUIRE(writer->replace("default", std::move(pages)));

    CHECK(writer->match("default", {}, {}, 1).error().code == ErrorCode::unsupported);
    const IndexFacts facts = writer->facts("default").value();
    CHECK(facts.pages == 1);
    CHECK(facts.chunks == 2);
    CHECK(facts.vectors == 1);
    CHECK(facts.embedder.model == "m");
    CHECK(writer->collections().value() == std::vector<std::string>{"default"});
}

TEST_CASE("a log knows whose pages it has") {
    DATABASE(url);
    auto log = IndexLog::open({.url = url}).value();
    CHECK(log->source().value() == 0);

    REQUIRE(log->set_source(0xfedcba9876543210));

    CHECK(IndexLog::open({.url = url}).value()->source().value() == 0xfedcba9876543210);
}

TEST_CASE("vectors of the builtin space are not for others") {
    DATABASE(url);
    auto writer = SharedIndex::open({.database = {.url = url}}).value();
    REQUIRE(writer->set_embedder("default", {.provider = "builtin", .dimensions = 192}));
    std::vector<IndexedPage> pages;
    pages.push_back(page_of(1, {chunk_of("alpha", {1, 0})}));

    CHECK(writer->replace("default", std::move(pages)).error().code == ErrorCode::conflict);
}

TEST_CASE("people can read what is in the log, whatever characters it was made of") {
    DATABASE(url);
    Place place(url);
    IndexedPage page = page_of(7, {chunk_of("alpha")});
    page.label.title = std::string("a\0b", 3);
    page.chunks[0].chunk = {.text = "text \xff end", .headings = {std::string("A\0", 2), "say \"B\"\n"}};

    place.put(std::move(page));

    auto connection = db::PgConnection::open({.url = url}).value();
    const auto rows = connection.query("select page, number, headings->>1, text from quarry.chunk").value();
    REQUIRE(rows.size() == 1);
    CHECK(rows.integer(0, 0) == 7);
    CHECK(rows.text(0, 2) == "say \"B\"\n");
    const ChunkRef wanted = ref(7, 0);
    const auto found = place.index->read("default", {&wanted, 1}).value();
    REQUIRE(found.size() == 1);
    CHECK(found[0].chunk.text == "text \xEF\xBF\xBD end");
    CHECK(found[0].chunk.headings == std::vector<std::string>{"A\xEF\xBF\xBD", "say \"B\"\n"});
    CHECK(found[0].label.title ==
          "a\xEF\xBF\xBD"
          "b");
}

TEST_CASE("rows that somebody damaged are an error with a way out") {
    DATABASE(url);
    Place place(url);
    place.put(7, {"alpha"});
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(connection.execute("update quarry.chunk set terms = 'rubbish'"));

    const auto read = place.shared().log().read(1, 0, 10);

    REQUIRE(!read);
    CHECK(read.error().code == ErrorCode::corrupt);
    CHECK(read.error().message.find("page 7") != std::string::npos);
}

}  // namespace quarry::index
