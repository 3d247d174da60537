#include "db/postgres/connection.h"

#include <doctest/doctest.h>

#include "db/postgres/copy.h"
#include "db/postgres/values.h"
#include "servers/postgres.h"

namespace quarry::db {

namespace {

using namespace std::chrono_literals;

// A database of its own for a test; the test ends here if PostgreSQL is not installed.
#define DATABASE(url)                                        \
    test::Postgres* const server = test::Postgres::shared(); \
    if (!server) {                                           \
        MESSAGE("skipped: PostgreSQL is not installed");     \
        return;                                              \
    }                                                        \
    const std::string url = server->url(server->create_database())

constexpr PgStatement sum{"test_sum", "select $1 + $2, $3::text, $4::bytea"};

}  // namespace

TEST_CASE("what PostgreSQL cannot hold as text is replaced, byte by byte") {
    struct Row {
        std::string_view text, expected;
    };
    using namespace std::string_view_literals;
    const std::vector<Row> rows = {
        {"", ""},
        {"plain text of more than eight bytes", "plain text of more than eight bytes"},
        {"d\xC3\xA9j\xC3\xA0 vu \xF0\x9F\x98\x80", "d\xC3\xA9j\xC3\xA0 vu \xF0\x9F\x98\x80"},
        {"a\0b"sv,
         "a\xEF\xBF\xBD"
         "b"},
        {"12345678\0"sv, "12345678\xEF\xBF\xBD"},
        {"\xFF", "\xEF\xBF\xBD"},
        {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                  // overlong
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                  // a surrogate
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // beyond U+10FFFF
        {"cut \xE2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(to_pg_text(row.text) == row.expected);
        CHECK(is_pg_text(row.text) == (row.text == row.expected));
    }
}

TEST_CASE("a URL is told without its password") {
    CHECK(pg_place_of("postgres://ann:secret@db.example:6000/app").value() ==
          "database app on db.example, port 6000");
    const auto wrong = pg_place_of("postgres://ann:sec ret%@:x/");
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
    CHECK(wrong.error().message.find("sec") == std::string::npos);
}

TEST_CASE("a server that is not there is unavailable, and the sentence says which") {
    const auto connection = PgConnection::open({.url = "postgres://ann:secret@127.0.0.1:1/app"});

    REQUIRE(!connection);
    CHECK(connection.error().code == ErrorCode::unavailable);
    CHECK(connection.error().message.find("database app on 127.0.0.1, port 1") != std::string::npos);
    CHECK(connection.error().message.find("secret") == std::string::npos);
}

TEST_CASE("values go in and come back as they were") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url}).value();
    using namespace std::string_view_literals;
    for (int round = 0; round < 2; ++round) {  // prepared, then known
        const PgRows rows = connection.run(sum, PgValues(40, -2, "t\xC3\xA9xt", Blob{"\0\xFF"sv})).value();
        CHECK(rows.integer(0, 0) == 38);
        CHECK(rows.text(0, 1) == "t\xC3\xA9xt");
        CHECK(rows.text(0, 2) == "\0\xFF"sv);
    }
    const PgRows nothing =
        connection.run(sum, PgValues(std::optional<int>(), 1, std::optional<std::string_view>(), Blob{}))
            .value();
    CHECK(nothing.is_null(0, 0));
    CHECK(nothing.is_null(0, 1));
    CHECK_FALSE(nothing.is_null(0, 2));
}

TEST_CASE("arrays become rows, NULLs and empty ones too") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url}).value();
    const PgIntegers integers = {1, std::nullopt, -3};
    const PgTexts texts = {"a", "b\0c", std::nullopt};
    const PgBlobs blobs = {{std::nullopt, "x", ""}};

    const PgRows rows =
        connection.query("select * from unnest($1, $2, $3)", PgValues(integers, texts, blobs)).value();

    REQUIRE(rows.size() == 3);
    CHECK(rows.integer(0, 0) == 1);
    CHECK(rows.is_null(1, 0));
    CHECK(rows.integer(2, 0) == -3);
    CHECK(rows.text(1, 1) == "b");
    CHECK(rows.is_null(2, 1));
    CHECK(rows.is_null(0, 2));
    CHECK(rows.text(1, 2) == "x");
    CHECK(connection.query("select * from unnest($1::int8[])", PgValues(PgIntegers{})).value().empty());
}

TEST_CASE("a batch is one round trip, and one transaction") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url}).value();
    REQUIRE(connection.execute("create table t(a bigint primary key)"));
    constexpr PgStatement insert{"insert", "insert into t values ($1)"};
    PgBatch batch(connection);
    batch.add(insert, PgValues(1));
    batch.add(insert, PgValues(2));
    batch.add("select count(*) from t");
    const auto rows = batch.run().value();
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].affected() == 1);
    CHECK(rows[2].integer(0, 0) == 2);

    constexpr PgStatement other{"other", "select $1 * 2"};
    batch.add(other, PgValues(3));
    batch.add(insert, PgValues(3));
    batch.add(insert, PgValues(1));
    batch.add(insert, PgValues(4));
    CHECK(batch.run().error().code == ErrorCode::conflict);
    CHECK(connection.failure() == PgFailure::unique);

    CHECK(connection.query("select count(*) from t").value().integer(0, 0) == 2);
    CHECK(connection.run(other, PgValues(4)).value().integer(0, 0) == 8);
}

TEST_CASE("a transaction that is not committed leaves nothing") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url}).value();
    REQUIRE(connection.execute("create table t(a bigint)"));
    {
        PgTransaction transaction = PgTransaction::begin(connection).value();
        REQUIRE(connection.execute("insert into t values (1)"));
    }
    CHECK(connection.query("select count(*) from t").value().integer(0, 0) == 0);

    PgTransaction failing = PgTransaction::begin(connection).value();
    CHECK(!connection.execute("select nonsense"));
    CHECK(!failing.commit());
}

TEST_CASE("rows are copied in bulk, or not at all") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url}).value();
    REQUIRE(connection.execute("create table t(a bigint primary key, b text, c bytea)"));
    PgCopy copy = PgCopy::begin(connection, "t(a, b, c)").value();
    for (std::int64_t row = 0; row < 20'000; ++row) {
        REQUIRE(copy.row(row, std::optional<std::string_view>("text"), Blob{"bytes of a row"}));
    }
    CHECK(copy.end().value() == 20'000);
    {
        PgCopy left = PgCopy::begin(connection, "t(a)").value();
        REQUIRE(left.row(std::int64_t{99'999}));
    }
    CHECK(connection.query("select count(*), max(b) from t").value().integer(0, 0) == 20'000);
}

TEST_CASE("an answer that does not come is given up") {
    DATABASE(url);
    PgConnection connection = PgConnection::open({.url = url, .statement_timeout = 1s}).value();

    CHECK(connection.query("select pg_sleep(30)").error().code == ErrorCode::timeout);
    CHECK(connection.failure() == PgFailure::lost);
    CHECK(connection.query("select 1").error().code == ErrorCode::unavailable);
}

TEST_CASE("a listener hears what others say, and who said it") {
    DATABASE(url);
    PgListener listener = PgListener::open({.url = url}, "news").value();
    PgConnection speaker = PgConnection::open({.url = url}).value();
    REQUIRE(speaker.execute("notify news, 'hello'"));

    const auto heard = listener.wait(10s).value();

    REQUIRE(heard.size() == 1);
    CHECK(heard[0].payload == "hello");
    CHECK(heard[0].sender == speaker.query("select pg_backend_pid()").value().integer(0, 0));
}

TEST_CASE("a pool opens a connection anew when the server was away") {
    const auto server = test::Postgres::start({.fsync = false});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    PgPool pool({.url = server->url()}, 2);
    REQUIRE(pool.borrow().value()->query("select 1"));
    server->stop_at_once();
    {
        auto lost = pool.borrow();
        CHECK(lost.value()->query("select 1").error().code == ErrorCode::unavailable);
    }
    CHECK(pool.borrow().error().code == ErrorCode::unavailable);
    server->restart();

    while (!pool.borrow()) {
    }
    CHECK(pool.borrow().value()->query("select 1"));
}

}  // namespace quarry::db
