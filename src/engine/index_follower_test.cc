#include "work/indexing/index_follower.h"

#include <condition_variable>
#include <deque>

#include "engine/index_place_test.h"
#include "index/postgres/shared_index.h"
#include "servers/postgres.h"
#include "work/indexing/prepared_page.h"

namespace quarry::work {
namespace {

using namespace std::chrono_literals;
using Urls = std::vector<std::string>;

#define NEEDS_POSTGRES()                                 \
    if (!test::Postgres::shared()) {                     \
        MESSAGE("skipped: PostgreSQL is not installed"); \
        return;                                          \
    }

// A process that answers searches: its replica, its spaces, and who keeps both up to date.
class Server {
public:
    explicit Server(std::string url, SpacePolicy policy = {}) : spaces_(*replica, policy) {
        const db::PgConfig database{.url = std::move(url)};
        index = index::SharedIndex::open({.database = database,
                                          .replica = replica.get(),
                                          .prepare = fold_into(spaces_),
                                          .freshness = index::Freshness::followed})
                    .value();
        follower = IndexFollower::open({.follower = *index->follower(),
                                        .spaces = spaces_,
                                        .replica = *replica,
                                        .database = database,
                                        .log = [this](std::string_view line) { note(line); }})
                       .value();
        follower->on_progress([this] { note({}); });
    }
    ~Server() { follower.reset(); }

    // Until the follower has brought this about. It says when it has done something.
    template <typename Condition>
    void await(Condition condition) {
        std::unique_lock lock(mutex_);
        while (true) {
            const std::uint64_t seen = events_;
            lock.unlock();
            if (condition()) return;
            lock.lock();
            REQUIRE(happened_.wait_for(lock, 60s, [&] { return events_ != seen; }));
        }
    }
    void settle() {
        const std::uint64_t look = follower->look();
        await([&] { return follower->is_settled(look); });
    }
    std::string said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }
    std::size_t found(const std::string& term) {
        index::KeywordQuery query;
        query.words = {{term, 1}};
        return index->match("default", query, {}, 1'000).value().size();
    }
    index::IndexFacts facts() { return index->facts("default").value(); }

    test::TemporaryFolder folder;
    std::unique_ptr<index::EmbeddedIndex> replica =
        index::open_embedded_index({.path = folder.file("index.db")}).value();

private:
    void note(std::string_view line) {
        const std::lock_guard lock(mutex_);
        if (!line.empty()) said_ += std::string(line) + "\n";
        ++events_;
        happened_.notify_all();
    }

    Spaces spaces_;
    std::mutex mutex_;
    std::condition_variable happened_;
    std::uint64_t events_ = 0;
    std::string said_;

public:
    std::unique_ptr<index::SharedIndex> index;
    std::unique_ptr<IndexFollower> follower;
};

std::string new_database() {
    return test::Postgres::shared()->url(test::Postgres::shared()->create_database());
}

// A worker on another host, which answers no searches.
std::unique_ptr<index::SharedIndex> open_writer(const std::string& url) {
    auto writer = index::SharedIndex::open({.database = {.url = url}}).value();
    REQUIRE(writer->set_embedder("default", {.provider = "builtin", .dimensions = 192}));
    return writer;
}

void write(index::Index& writer, int first, int count) {
    text::TermReader terms;
    std::vector<index::IndexedPage> pages;
    for (int page = first; page < first + count; ++page) {
        index::IndexedPage& written = pages.emplace_back();
        written.page = PageId{page};
        written.version = 1;
        index::IndexedChunk& chunk = written.chunks.emplace_back();
        chunk.chunk.text = fmt::format("The quarry gives stone number{} and gravel{} of colour{}.", page,
                                       page % 17, page % 5);
        chunk.terms = terms_of(chunk.chunk, terms);
    }
    REQUIRE(writer.replace("default", std::move(pages)));
}

}  // namespace

TEST_CASE("what workers write elsewhere is found soon, without being asked for") {
    NEEDS_POSTGRES();
    const std::string url = new_database();
    Server server(url);
    const auto writer = open_writer(url);

    write(*writer, 1, 5);

    server.await([&] { return server.found("number3") == 1; });
    write(*writer, 6, 1);
    server.await([&] { return server.found("number6") == 1; });
}

TEST_CASE("each replica gets builtin spaces of its own, which answer for all pages") {
    NEEDS_POSTGRES();
    const std::string url = new_database();
    const SpacePolicy policy{.min_chunks = 30, .dimensions = 16};
    const auto writer = open_writer(url);
    Server first(url, policy);
    write(*writer, 1, 40);
    first.settle();
    CHECK(first.facts().space > 0);
    CHECK(first.facts().vectors == 40);

    write(*writer, 41, 5);
    Server second(url, policy);
    first.settle();
    second.settle();

    CHECK(first.facts().vectors == 45);
    CHECK(second.facts().vectors == 45);
}

TEST_CASE("a collection that is dropped and made anew begins without a space") {
    NEEDS_POSTGRES();
    const std::string url = new_database();
    const SpacePolicy policy{.min_chunks = 30, .dimensions = 16};
    Server server(url, policy);
    auto writer = open_writer(url);
    write(*writer, 1, 40);
    server.settle();
    CHECK(server.facts().space > 0);

    REQUIRE(writer->remove_collection("default"));
    writer = open_writer(url);
    write(*writer, 100, 20);
    server.settle();

    CHECK(server.facts().pages == 20);
    CHECK(server.facts().space == 0);
    write(*writer, 200, 20);
    server.settle();
    CHECK(server.facts().space > 0);
    CHECK(server.facts().vectors == 40);
    CHECK(server.said() == "");
}

TEST_CASE("when PostgreSQL goes away that is said once, and it is followed again when it is back") {
    const auto database = test::Postgres::start({.fsync = false});
    if (!database) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    Server server(database->url());
    write(*open_writer(database->url()), 1, 5);
    server.await([&] { return server.found("number3") == 1; });

    database->stop_at_once();
    server.await([&] { return server.said().find("cannot follow") != std::string::npos; });
    CHECK(server.found("number3") == 1);
    database->restart();
    server.await([&] { return server.said().find("again") != std::string::npos; });
    write(*open_writer(database->url()), 10, 1);

    server.await([&] { return server.found("number10") == 1; });
}

TEST_CASE_FIXTURE(IndexPlace, "when a run that indexes ends, its pages are found here, spaces included") {
    NEEDS_POSTGRES();
    const std::string url = new_database();
    Server server(url, {.min_chunks = 30, .dimensions = 16});
    put_many(40);
    CollectionEmbedders embedders(services());
    EngineConfig config{.name = "test",
                        .open_reader = [this] { return store::open_sqlite_reader(path()); },
                        .cpu_threads = 2};
    config.indexing = {
        .index = server.index.get(), .embedders = &embedders, .follower = server.follower.get()};
    Engine engine(*store, fetcher, std::move(config));

    REQUIRE(engine.run({.indexed = RunUntil::Indexed{}}, {}));

    CHECK(server.found("number7") == 1);
    CHECK(server.facts().pages == 40);
    CHECK(server.facts().vectors == 40);
    CHECK(server.facts().embedder.provider == "builtin");
}

TEST_CASE_FIXTURE(IndexPlace, "who writes to a shared index says anew whose vectors it has") {
    NEEDS_POSTGRES();
    const std::string url = new_database();
    const auto writer = index::SharedIndex::open({.database = {.url = url}}).value();
    const auto other = index::SharedIndex::open({.database = {.url = url}}).value();
    CollectionEmbedders embedders(services());
    REQUIRE(embedders.ensure("default", *store, *reader(), *writer));
    CHECK(writer->facts("default").value().embedder.provider == "builtin");
    REQUIRE(other->set_embedder("default", {.provider = "none"}));

    REQUIRE(embedders.ensure("default", *store, *reader(), *writer));

    CHECK(other->facts("default").value().embedder.provider == "builtin");
}

}  // namespace quarry::work
