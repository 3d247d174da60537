#include "db/sqlite.h"

#include <csignal>
#include <filesystem>
#include <optional>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "servers/temporary_folder.h"

namespace quarry::db {

namespace {

Connection memory() {
    Connection connection = Connection::open(":memory:", Access::create).value();
    REQUIRE(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB)"));
    return connection;
}

// As on a full disk: no file can grow.
class NoRoomForFiles {
public:
    NoRoomForFiles() {
        ::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    }
    ~NoRoomForFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }
    NoRoomForFiles(const NoRoomForFiles&) = delete;
    NoRoomForFiles& operator=(const NoRoomForFiles&) = delete;

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("values come back as they were bound") {
    Connection connection = memory();
    const std::string bytes("a\0b", 3);
    REQUIRE(connection.prepare("INSERT INTO t VALUES (?, ?, ?)").value().bind(7, "seven", Blob{bytes}).run());

    Statement statement = connection.prepare("SELECT id, name, data FROM t").value();

    REQUIRE(statement.step().value());
    CHECK(statement.integer(0) == 7);
    CHECK(statement.text(1) == "seven");
    CHECK(statement.text(2) == bytes);
    CHECK_FALSE(statement.step().value());
}

TEST_CASE("an empty text is not NULL, and nothing is") {
    Connection connection = memory();
    Statement insert = connection.prepare("INSERT INTO t VALUES (?, ?, ?)").value();
    REQUIRE(insert.bind(1, std::string_view(), Blob{}).run());
    REQUIRE(insert.bind(2, std::optional<std::string>(), nullptr).run());

    Statement statement = connection.prepare("SELECT name, data FROM t ORDER BY id").value();

    REQUIRE(statement.step().value());
    CHECK_FALSE(statement.is_null(0));
    CHECK_FALSE(statement.is_null(1));
    CHECK(statement.text(0).empty());
    REQUIRE(statement.step().value());
    CHECK(statement.is_null(0));
    CHECK(statement.is_null(1));
    CHECK_FALSE(statement.optional_integer(0));
}

TEST_CASE("a statement can be used again after it failed") {
    Connection connection = memory();
    Statement insert = connection.prepare("INSERT INTO t(id, name) VALUES (?, ?)").value();
    REQUIRE(insert.bind(1, "one").run());

    const auto twice = insert.bind(1, "uno").run();

    REQUIRE_FALSE(twice);
    CHECK(twice.error().code == ErrorCode::conflict);
    CHECK(insert.bind(2, "two").run());
    CHECK(connection.integer("SELECT count(*) FROM t").value() == 2);
}

TEST_CASE("a mistake in the SQL is an error with SQLite's sentence") {
    Connection connection = memory();

    const auto statement = connection.prepare("SELECT id FROM nowhere");

    REQUIRE_FALSE(statement);
    CHECK(statement.error().code == ErrorCode::invalid_argument);
    CHECK(statement.error().message.find("nowhere") != std::string::npos);
}

TEST_CASE("the first number of a query, or nothing if there is no row") {
    Connection connection = memory();
    CHECK(connection.integer("SELECT 5").value() == 5);
    CHECK_FALSE(connection.integer("SELECT id FROM t").value());
}

TEST_CASE("a transaction that is not committed leaves nothing") {
    Connection connection = memory();
    {
        Transaction transaction = Transaction::begin(connection).value();
        REQUIRE(connection.execute("INSERT INTO t(id) VALUES (1)"));
        CHECK(connection.in_transaction());
    }
    CHECK_FALSE(connection.in_transaction());
    CHECK(connection.integer("SELECT count(*) FROM t").value() == 0);

    Transaction transaction = Transaction::begin(connection).value();
    REQUIRE(connection.execute("INSERT INTO t(id) VALUES (1)"));
    REQUIRE(transaction.commit());
    CHECK(connection.integer("SELECT count(*) FROM t").value() == 1);
}

TEST_CASE("only who asks for it makes a file") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.db");

    CHECK(Connection::open(path, Access::read_only).error().code == ErrorCode::not_found);
    CHECK(Connection::open(path, Access::write).error().code == ErrorCode::not_found);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(Connection::open(path, Access::create));
    CHECK(Connection::open(path, Access::read_only));
}

TEST_CASE("a folder that is not there is unavailable, and named") {
    const auto connection = Connection::open("/nowhere/at/all.db", Access::create);

    REQUIRE_FALSE(connection);
    CHECK(connection.error().code == ErrorCode::unavailable);
    CHECK(connection.error().message.find("/nowhere/at/all.db") != std::string::npos);
}

TEST_CASE("who may only read cannot write") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.db");
    REQUIRE(Connection::open(path, Access::create).value().execute("CREATE TABLE t(id)"));

    CHECK_FALSE(Connection::open(path, Access::read_only).value().execute("INSERT INTO t VALUES (1)"));
}

TEST_CASE("a file of other bytes is corrupt when it is first read") {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("a.db", std::string(5'000, 'x'));

    const auto tables =
        Connection::open(path, Access::read_only).value().integer("SELECT count(*) FROM sqlite_master");

    REQUIRE_FALSE(tables);
    CHECK(tables.error().code == ErrorCode::corrupt);
    CHECK(test::read_file(path) == std::string(5'000, 'x'));
}

TEST_CASE("a copy has everything that was committed, and overwrites nothing") {
    const test::TemporaryFolder folder;
    Connection connection = Connection::open(folder.file("a.db"), Access::create).value();
    REQUIRE(
        connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(id); INSERT INTO t VALUES (1), (2)"));

    REQUIRE(connection.copy_to(folder.file("b.db")));

    CHECK(Connection::open(folder.file("b.db"), Access::read_only)
              .value()
              .integer("SELECT count(*) FROM t")
              .value() == 2);
    CHECK(connection.copy_to(folder.file("b.db")).error().code == ErrorCode::conflict);
}

TEST_CASE("where nothing can be put beside it a database is read as it is, until somebody writes to it") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("odd %3f?name#1.db");
    {
        Connection writer = Connection::open(path, Access::create).value();
        REQUIRE(writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(id); INSERT INTO t VALUES (1)"));
    }
    std::optional<NoRoomForFiles> full;
    full.emplace();

    Connection reader = Connection::open(path, Access::read_only).value();
    CHECK(reader.integer("SELECT count(*) FROM t").value() == 1);
    CHECK_FALSE(reader.execute("INSERT INTO t VALUES (2)"));

    full.reset();
    Connection writer = Connection::open(path, Access::write).value();
    REQUIRE(writer.execute("INSERT INTO t VALUES (2)"));
    CHECK(reader.is_outdated());
    CHECK(reader.integer("SELECT count(*) FROM t").value() == 2);
    CHECK_FALSE(reader.is_outdated());
}

TEST_CASE("a writer who came and went between two looks is seen where a database is read as it is") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.db");
    const auto write = [&](const char* sql) {
        REQUIRE(Connection::open(path, Access::create).value().execute(sql));
    };
    write("PRAGMA journal_mode = WAL; CREATE TABLE t(id); INSERT INTO t VALUES (1)");
    std::optional<NoRoomForFiles> full;
    full.emplace();
    Connection reader = Connection::open(path, Access::read_only).value();
    REQUIRE(reader.integer("SELECT count(*) FROM t").value() == 1);
    Connection within = Connection::open(path, Access::read_only).value();
    REQUIRE(within.execute("BEGIN"));
    REQUIRE(within.integer("SELECT count(*) FROM t").value() == 1);

    full.reset();
    write("INSERT INTO t VALUES (2)");
    full.emplace();

    CHECK(reader.integer("SELECT count(*) FROM t").value() == 2);
    CHECK(within.integer("SELECT count(*) FROM t").error().code == ErrorCode::unavailable);
}

TEST_CASE("a reader that closes last leaves the log to the writer") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.db");
    Connection writer = Connection::open(path, Access::create).value();
    REQUIRE(writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(id)"));
    const auto log_size = std::filesystem::file_size(path + "-wal");

    {
        Connection reader = Connection::open(path, Access::read_only).value();
        CHECK(reader.integer("SELECT count(*) FROM t").value() == 0);
    }

    CHECK(std::filesystem::file_size(path + "-wal") == log_size);
    REQUIRE(writer.checkpoint(true));
    CHECK(std::filesystem::file_size(path + "-wal") == 0);
}

}  // namespace quarry::db
