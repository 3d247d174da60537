// A store that has seen all kinds of work, moved to PostgreSQL and back.
#include "store/transfer/transfer.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "servers/postgres.h"
#include "servers/temporary_folder.h"
#include "store/consistency.h"
#include "store/finish_all.h"
#include "store/postgres/store.h"
#include "store/postgres_consistency.h"
#include "store/sqlite/store.h"
#include "store/workload.h"

namespace quarry::test {

namespace {

// A file that random work was done on, and what was promised on the way.
struct Worn {
    TemporaryFolder folder;
    std::string path = folder.file("quarry.db");
    std::vector<Promise> promises{};

    explicit Worn(int steps) {
        const auto store = store::open_sqlite_store({.path = path, .limits = {.low_disk_bytes = 0}}).value();
        Workload work(*store, 7, [&](const Promise& promise) { promises.push_back(promise); });
        for (int step = 0; step < steps; ++step) REQUIRE(work.step());
    }
};

template <typename Connection>
std::string problems(Connection connection, const std::vector<Promise>& promises) {
    std::vector<std::string> sentences = broken_promises(connection, promises);
    for (std::string& sentence : inconsistencies(connection)) sentences.push_back(std::move(sentence));
    return fmt::format("{}", fmt::join(sentences, "\n"));
}

Result<store::TransferReport> move(Result<std::unique_ptr<store::TransferEnd>> from,
                                   Result<std::unique_ptr<store::TransferEnd>> to, int batches = -1) {
    std::stop_source stop;
    const auto tell = [&](const store::TransferProgress&) {
        if (--batches == 0) stop.request_stop();
    };
    return store::transfer(*from.value(), *to.value(), tell, stop.get_token());
}

#define DATABASE(url)                                    \
    Postgres* const server = Postgres::shared();         \
    if (!server) {                                       \
        MESSAGE("skipped: PostgreSQL is not installed"); \
        return;                                          \
    }                                                    \
    const std::string url = server->url(server->create_database())

}  // namespace

TEST_CASE("a store moved to PostgreSQL keeps what it promised, and its work goes on there") {
    DATABASE(url);
    const Worn worn(3'000);

    const auto moved = move(store::open_sqlite_end(worn.path), store::open_postgres_end(url));

    REQUIRE_MESSAGE(moved, moved.error().message);
    CHECK(moved->rows > 3'000);
    CHECK(problems(db::PgConnection::open({.url = url}).value(), worn.promises) == "");
    const auto store = store::open_postgres_store({.database = {.url = url}}).value();
    const auto reader = store::open_postgres_reader({.url = url}).value();
    const auto paused = reader->groups({.states = {JobState::paused}, .limit = 100'000}).value();
    for (const Group& group : paused) REQUIRE(store->resume(group.id));
    finish_all(*store);
    CHECK(reader->groups({.states = {JobState::queued, JobState::running}}).value().empty());
    CHECK(reader->jobs({.filter = {.states = {JobState::queued, JobState::running}}}).value().empty());
    CHECK(problems(db::PgConnection::open({.url = url}).value(), worn.promises) == "");
}

TEST_CASE("what comes from days gone by is one partition, and keeps none of the next from being made") {
    DATABASE(url);
    const Worn worn(1'000);

    REQUIRE(move(store::open_sqlite_end(worn.path), store::open_postgres_end(url)));
    const auto store = store::open_postgres_store({.database = {.url = url}}).value();

    auto connection = db::PgConnection::open({.url = url}).value();
    const auto count = [&](const std::string& from) {
        return connection.query("select count(*) from quarry." + from).value().integer(0, 0);
    };
    CHECK(count("done") > 0);
    CHECK(count("done_other") == 0);
    CHECK(count("day where parent = 'done' and name like 'quarry.done_before_%'") == 1);
    CHECK(count("day where parent = 'done'") == 3);
}

TEST_CASE("moved there and back it is the same") {
    DATABASE(url);
    const Worn worn(2'000);
    const std::string path = worn.folder.file("again.db");

    REQUIRE(move(store::open_sqlite_end(worn.path), store::open_postgres_end(url)));
    const auto back = move(store::open_postgres_end(url), store::open_sqlite_end(path));

    REQUIRE_MESSAGE(back, back.error().message);
    CHECK(problems(db::Connection::open(path, db::Access::write).value(), worn.promises) == "");
    const auto store = store::open_sqlite_store({.path = path, .limits = {.low_disk_bytes = 0}}).value();
    CHECK(store->salt() == store::open_sqlite_reader(worn.path).value()->salt());
    CHECK(store->add({{.kind = "scrape"}}));
}

TEST_CASE("interrupted, it cannot be used, and goes on where it was") {
    DATABASE(url);
    const Worn worn(1'000);

    const auto stopped = move(store::open_sqlite_end(worn.path), store::open_postgres_end(url), 14);
    const auto opened = store::open_postgres_store({.database = {.url = url}});
    const auto moved = move(store::open_sqlite_end(worn.path), store::open_postgres_end(url));

    CHECK(stopped.error().code == ErrorCode::interrupted);
    REQUIRE(!opened);
    CHECK(opened.error().message.contains("migrate-store"));
    REQUIRE_MESSAGE(moved, moved.error().message);
    CHECK(moved->taken_up > 0);
    CHECK(problems(db::PgConnection::open({.url = url}).value(), worn.promises) == "");
}

TEST_CASE("what is there already is not mixed with what comes") {
    DATABASE(url);
    const Worn worn(50), other(50);
    REQUIRE(move(store::open_sqlite_end(worn.path), store::open_postgres_end(url)));

    const auto refused = move(store::open_sqlite_end(other.path), store::open_postgres_end(url));

    CHECK(refused.error().code == ErrorCode::conflict);
    CHECK(problems(db::PgConnection::open({.url = url}).value(), worn.promises) == "");
}

}  // namespace quarry::test
