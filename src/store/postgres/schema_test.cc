#include "store/postgres/schema.h"

#include <future>

#include <doctest/doctest.h>

#include "servers/postgres.h"

namespace quarry::store::postgres {

namespace {

#define DATABASE(url)                                        \
    test::Postgres* const server = test::Postgres::shared(); \
    if (!server) {                                           \
        MESSAGE("skipped: PostgreSQL is not installed");     \
        return;                                              \
    }                                                        \
    const std::string url = server->url(server->create_database())

}  // namespace

TEST_CASE("an empty database gets the tables, and one that has them keeps them") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    CHECK(version_of(connection).value() == 0);
    REQUIRE(migrate(connection));
    CHECK(version_of(connection).value() == schema_version);
    const auto salt = connection.query("select value from quarry.meta where name = 'salt'").value();

    REQUIRE(migrate(connection));

    CHECK(connection.query("select value from quarry.meta where name = 'salt'").value().integer(0, 0) ==
          salt.integer(0, 0));
    CHECK(connection.query("select * from quarry.job").value().empty());
}

TEST_CASE("of many that start at once one makes the tables") {
    DATABASE(url);
    std::vector<std::future<Result<void>>> starts;
    for (int count = 0; count < 6; ++count) {
        starts.push_back(std::async(std::launch::async, [&]() -> Result<void> {
            auto connection = TRY(db::PgConnection::open({.url = url}));
            return migrate(connection);
        }));
    }
    for (auto& start : starts) CHECK(start.get());
}

TEST_CASE("a newer database is refused in a sentence") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(migrate(connection));
    REQUIRE(connection.execute("update quarry.meta set value = 99 where name = 'version'"));

    const auto refused = migrate(connection);

    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message.find("version 99") != std::string::npos);
}

TEST_CASE("the time is the server's, unless a transaction says otherwise") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(migrate(connection));
    {
        auto transaction = db::PgTransaction::begin(connection, "set local quarry.now = '17'").value();
        CHECK(connection.query("select quarry.now_ms()").value().integer(0, 0) == 17);
    }
    CHECK(connection.query("select quarry.now_ms()").value().integer(0, 0) > 1'700'000'000'000);
}

}  // namespace quarry::store::postgres
