// What is special to a reader on PostgreSQL: how it is opened, and what it does when the connection is lost.
// What it shows is in reader_test.cc.
#include <doctest/doctest.h>

#include "servers/postgres.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/store.h"

namespace quarry::store {

namespace {

#define DATABASE(url)                                        \
    test::Postgres* const server = test::Postgres::shared(); \
    if (!server) {                                           \
        MESSAGE("skipped: PostgreSQL is not installed");     \
        return;                                              \
    }                                                        \
    const std::string url = server->url(server->create_database())

}  // namespace

TEST_CASE("a database without our tables is not found, and gets none") {
    DATABASE(url);

    CHECK(open_postgres_reader({.url = url}).error().code == ErrorCode::not_found);

    auto connection = db::PgConnection::open({.url = url}).value();
    CHECK(postgres::version_of(connection).value() == 0);
}

TEST_CASE("tables of a newer version are not read") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(postgres::migrate(connection));
    REQUIRE(connection.execute("update quarry.meta set value = 99 where name = 'version'"));

    CHECK(open_postgres_reader({.url = url}).error().code == ErrorCode::unsupported);
}

TEST_CASE("a reader whose connection was cut goes on with another") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(postgres::migrate(connection));
    const auto reader = open_postgres_reader({.url = url}).value();
    const auto cut = [&] {
        REQUIRE(
            connection.query("select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                             " where datname = current_database() and pid <> pg_backend_pid()"));
    };

    cut();
    CHECK(reader->groups({}).value().empty());
    cut();
    CHECK(reader->job_counts({}).value().empty());
    cut();
    CHECK(reader->job(JobId{1}).error().code == ErrorCode::not_found);
}

TEST_CASE("a reader says so when its database is away, and goes on when it is back") {
    const auto server = test::Postgres::start({.fsync = false});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const std::string url = server->url(server->create_database());
    {
        auto connection = db::PgConnection::open({.url = url}).value();
        REQUIRE(postgres::migrate(connection));
    }
    const auto reader = open_postgres_reader({.url = url}).value();

    server->stop_at_once();
    CHECK(reader->groups({}).error().code == ErrorCode::unavailable);
    CHECK(reader->collections().error().code == ErrorCode::unavailable);
    server->restart();
    CHECK(reader->collections().value().empty());
}

}  // namespace quarry::store
