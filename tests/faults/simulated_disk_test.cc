// The simulated disk is itself put to the test: SQLite as it should be used loses nothing on it, and SQLite
// used carelessly does. A disk on which nothing can go wrong would prove nothing.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/sqlite.h"
#include "faults/simulated_vfs.h"

namespace quarry::test {

namespace {

db::Connection open_on(const SimulatedVfs& vfs, std::string_view synchronous) {
    auto connection = db::Connection::open("test.db", db::Access::create, vfs.name()).value();
    REQUIRE(connection.execute("PRAGMA journal_mode = WAL"));
    REQUIRE(connection.execute(fmt::format("PRAGMA synchronous = {}", synchronous)));
    return connection;
}

// Adds rows until the disk is gone; returns how many were acknowledged.
std::int64_t add_rows(db::Connection& connection, std::int64_t from) {
    std::int64_t added = from;
    while (connection.execute(fmt::format("INSERT INTO t VALUES ({}, randomblob(900))", added + 1))) {
        ++added;
        if (added % 40 == 0) (void)connection.checkpoint();
    }
    return added;
}

struct Outcome {
    int lost = 0;     // runs in which an acknowledged row was gone
    int damaged = 0;  // runs after which the database was not sound
};

// Cuts the power at many moments of such a run.
Outcome cut_often(std::string_view synchronous, Unsynced unsynced) {
    Outcome outcome;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SimulatedDisk disk;
        const SimulatedVfs vfs(disk);
        std::int64_t added = 0;
        {
            db::Connection connection = open_on(vfs, synchronous);
            REQUIRE(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data)"));
            disk.cut_power_after(static_cast<std::int64_t>(5 + seed * 7), unsynced, seed);
            added = add_rows(connection, 0);
        }
        auto connection = db::Connection::open("test.db", db::Access::create, vfs.name()).value();
        const auto sound = connection.integer("SELECT integrity_check = 'ok' FROM pragma_integrity_check");
        const auto rows = connection.integer("SELECT count(*) FROM t");
        if (!sound || *sound != 1) ++outcome.damaged;
        if (!rows || rows->value_or(0) < added) ++outcome.lost;
    }
    return outcome;
}

}  // namespace

TEST_CASE("what is not synced is gone after a power cut, what is synced stays") {
    SimulatedDisk disk;
    const auto file = disk.open("a", true);
    REQUIRE(disk.write(*file, 0, 0, "kept") == DiskError::none);
    REQUIRE(disk.sync(*file, 0) == DiskError::none);
    REQUIRE(disk.write(*file, 0, 0, "lost and longer") == DiskError::none);
    CHECK(disk.content("a") == "lost and longer");

    disk.cut_power(Unsynced::lost, 1);

    CHECK(disk.content("a") == "kept");
    CHECK(disk.write(*file, 0, 0, "from the dead") == DiskError::failed);
    CHECK(disk.content("a") == "kept");
}

TEST_CASE("a file that was never synced is not there after a power cut") {
    SimulatedDisk disk;
    const auto file = disk.open("a", true);
    REQUIRE(disk.write(*file, 0, 0, "lost") == DiskError::none);

    disk.cut_power(Unsynced::lost, 1);

    CHECK_FALSE(disk.exists("a"));
}

TEST_CASE("after a power cut any sectors may be new and any old, the same for the same seed") {
    const auto sectors_after = [](std::uint64_t seed) {
        SimulatedDisk disk;
        const auto file = disk.open("a", true);
        REQUIRE(disk.write(*file, 0, 0, std::string(64 * 512, 'o')) == DiskError::none);
        REQUIRE(disk.sync(*file, 0) == DiskError::none);
        REQUIRE(disk.write(*file, 0, 0, std::string(64 * 512, 'n')) == DiskError::none);
        disk.cut_power(Unsynced::random, seed);
        return disk.content("a");
    };

    const std::string once = sectors_after(1);

    CHECK(once.find('o') != std::string::npos);
    CHECK(once.find('n') != std::string::npos);
    CHECK(once == sectors_after(1));
    CHECK(once != sectors_after(2));
}

TEST_CASE("SQLite with synchronous FULL loses nothing that it acknowledged") {
    for (const Unsynced unsynced : {Unsynced::lost, Unsynced::random}) {
        const Outcome outcome = cut_often("FULL", unsynced);
        CHECK(outcome.lost == 0);
        CHECK(outcome.damaged == 0);
    }
}

TEST_CASE("SQLite with synchronous NORMAL may lose the last moments but stays sound") {
    const Outcome outcome = cut_often("NORMAL", Unsynced::random);
    CHECK(outcome.lost > 0);
    CHECK(outcome.damaged == 0);
}

TEST_CASE("SQLite with synchronous OFF is found out") {
    const Outcome outcome = cut_often("OFF", Unsynced::random);
    CHECK(outcome.lost > 0);
    CHECK(outcome.damaged > 0);
}

TEST_CASE("a full disk refuses what would make a file longer, until there is room again") {
    SimulatedDisk disk;
    const SimulatedVfs vfs(disk);
    db::Connection connection = open_on(vfs, "FULL");
    REQUIRE(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data)"));
    disk.set_capacity(200'000);

    const std::int64_t added = add_rows(connection, 0);
    const auto refused = connection.execute("INSERT INTO t VALUES (0, randomblob(9000))");

    CHECK(added > 10);
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message.find("full") != std::string::npos);
    disk.heal();
    CHECK(connection.execute("INSERT INTO t VALUES (0, randomblob(9000))"));
    CHECK(connection.integer("SELECT count(*) FROM t").value() == added + 1);
}

TEST_CASE("operations fail from the one asked for on, as often as asked for") {
    SimulatedDisk disk;
    const auto file = disk.open("a", true);
    disk.fail_after(1, DiskError::no_space, 2);

    CHECK(disk.write(*file, 0, 0, "a") == DiskError::none);
    CHECK(disk.write(*file, 0, 1, "b") == DiskError::no_space);
    CHECK(disk.sync(*file, 0) == DiskError::no_space);
    CHECK(disk.sync(*file, 0) == DiskError::none);
    CHECK(disk.content("a") == "a");
}

TEST_CASE("two connections see each other's commits and keep out of each other's way") {
    SimulatedDisk disk;
    const SimulatedVfs vfs(disk);
    db::Connection first = open_on(vfs, "FULL"), second = open_on(vfs, "FULL");
    REQUIRE(first.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data)"));
    REQUIRE(second.execute("PRAGMA busy_timeout = 0"));

    REQUIRE(first.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a')"));

    CHECK(second.integer("SELECT count(*) FROM t").value() == 0);
    CHECK_FALSE(second.execute("BEGIN IMMEDIATE"));
    REQUIRE(first.execute("COMMIT"));
    CHECK(second.integer("SELECT count(*) FROM t").value() == 1);
    CHECK(second.execute("INSERT INTO t VALUES (2, 'b')"));
}

}  // namespace quarry::test
