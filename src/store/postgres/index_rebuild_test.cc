// Indexes that stay large when their rows have gone. The database is one of its own.
#include "store/postgres/index_rebuild.h"

#include <doctest/doctest.h>

#include "base/clock.h"
#include "servers/postgres.h"
#include "store/postgres/schema/schema.h"

namespace quarry::store {

namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("indexes that are much larger than their rows need are rebuilt, once a day, by who leads") {
    test::Postgres* const server = test::Postgres::shared();
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const db::PgConfig config{.url = server->url(server->create_database())};
    auto connection = db::PgConnection::open(config).value();
    REQUIRE(postgres::migrate(connection));
    ManualClock clock;
    postgres::Transactor transactor(config, 2, {}, &clock, [](auto&&...) {});
    const postgres::Leadership leader, other;
    postgres::IndexUpkeep upkeep(transactor, leader, config, postgres::Maintenance::when_asked);
    postgres::IndexUpkeep upkeep_of_other(transactor, other, config, postgres::Maintenance::when_asked);
    const auto size = [&](const std::string& index) {
        return connection.query("select pg_relation_size('" + index + "')").value().integer(0, 0);
    };
    // As a queue that was long once: what is left of it is on every page of the index. That of the payloads
    // is as large, and needs to be.
    for (const char* statement :
         {"insert into quarry.job_key select lpad(i::text, 60, '0'), i from generate_series(1, 200000) as i",
          "insert into quarry.payload select i, '' from generate_series(1, 500000) as i",
          "delete from quarry.job_key where id % 100 <> 0", "vacuum analyze quarry.job_key",
          "vacuum analyze quarry.payload"})
        REQUIRE(connection.execute(statement));
    const std::int64_t before = size("quarry.job_key_pkey"), healthy = size("quarry.payload_pkey");
    REQUIRE(before > 8 << 20);
    REQUIRE(healthy > 8 << 20);

    CHECK(upkeep.rebuild({}).value() == Names{"quarry.job_key_pkey"});

    CHECK(size("quarry.job_key_pkey") < before / 20);
    CHECK(size("quarry.payload_pkey") == healthy);
    CHECK(connection.query("select count(*) from quarry.job_key").value().integer(0, 0) == 2'000);
    // Another time on the same day it is not even looked for, and by no one but who leads.
    REQUIRE(
        connection.execute("insert into quarry.job_key select 'x' || lpad(i::text, 60, '0'), i from "
                           "generate_series(1, 200000) as i"));
    REQUIRE(connection.execute("delete from quarry.job_key where id % 100 <> 0"));
    REQUIRE(connection.execute("vacuum analyze quarry.job_key"));
    CHECK(upkeep.rebuild({}).value().empty());
    clock.advance(24h);
    CHECK(upkeep.rebuild({}).value() == Names{"quarry.job_key_pkey"});
    clock.advance(24h);
    REQUIRE(upkeep.rebuild({}).value().empty());
    CHECK(upkeep_of_other.rebuild({}).value().empty());
    CHECK(connection.query("select value from quarry.meta where name = 'indexes_rebuilt_at'")
              .value()
              .integer(0, 0) == clock.now().time_since_epoch().count());
}

}  // namespace quarry::store
