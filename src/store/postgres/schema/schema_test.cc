#include "store/postgres/schema/schema.h"

#include <future>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/collection.h"
#include "model/ids.h"
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

TEST_CASE("tables that change all the time are vacuumed after so many changes, however large they are") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(migrate(connection));

    for (const char* table :
         {"ready", "parked", "lease", "url_ready", "url_lease", "change_ready", "change_lease"}) {
        CAPTURE(table);
        const auto options = connection.query(fmt::format(
            "select array_to_string(reloptions, ' ') from pg_class where oid = 'quarry.{}'::regclass",
            table));
        CHECK(options.value().text(0, 0).contains(
            "autovacuum_vacuum_scale_factor=0 autovacuum_vacuum_threshold=5000 "
            "autovacuum_vacuum_cost_delay=0"));
    }
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

TEST_CASE("who has looked for the tables in vain sees them as soon as somebody has made them") {
    DATABASE(url);
    auto waiting = db::PgConnection::open({.url = url}).value();
    auto maker = db::PgConnection::open({.url = url}).value();
    REQUIRE(waiting.execute("begin"));
    CHECK(version_of(waiting).value() == 0);

    REQUIRE(migrate(maker));

    CHECK(version_of(waiting).value() == schema_version);
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

TEST_CASE("the ids that users see are the same in SQL") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(migrate(connection));
    const std::int64_t largest = (std::int64_t{1} << 62) - 1;
    for (const std::int64_t salt :
         {std::int64_t{0}, std::int64_t{77}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
        REQUIRE(connection.query("select quarry.set_salt($1)", db::PgValues(salt)));
        for (const std::int64_t number :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{123'456'789'012}, largest}) {
            const std::int64_t created_at = 1'700'000'000'123 + number % 1'000;
            const auto made = connection.query(
                "select quarry.public_id($1, $2)::text, "
                "quarry.number_of(quarry.public_id($1, $2))",
                db::PgValues(number, created_at));
            REQUIRE(made);
            CHECK(made->text(0, 0) == public_id(number, Timestamp(std::chrono::milliseconds(created_at)),
                                                static_cast<std::uint64_t>(salt)));
            CHECK(made->integer(0, 1) == number);
        }
    }
    const auto foreign =
        connection.query("select quarry.number_of('018bcfe5-687b-71d1-9386-5ce4e03ba1e4')").value();
    CHECK(foreign.is_null(0, 0));
}

TEST_CASE("an owner has the same UUID in SQL") {
    DATABASE(url);
    auto connection = db::PgConnection::open({.url = url}).value();
    REQUIRE(migrate(connection));
    // Messages of a length around that of a block of the hash.
    for (const std::string& name :
         {std::string("local"), std::string(""), std::string("Grüße"), std::string(39, 'a'),
          std::string(40, 'a'), std::string(48, 'b'), std::string(200, 'c'),
          std::string("5B0E5D2C-8A41-4F0E-9D6B-717561727279"), std::string("{not-a-uuid}")}) {
        CHECK(connection.query("select quarry.owner_uuid($1)::text", db::PgValues(name)).value().text(0, 0) ==
              owner_uuid(name));
    }
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
