// Files that are no database of this program, or no longer one: each is refused in a sentence, and is
// afterwards what it was before. Nobody's data is ever replaced by an empty database.
#include <filesystem>
#include <random>

#include <doctest/doctest.h>

#include "effort.h"
#include "servers/temporary_folder.h"
#include "store/consistency.h"
#include "store/sqlite/store.h"
#include "store/workload.h"

namespace quarry::test {

namespace {

Result<std::unique_ptr<store::Store>> open_store(const std::string& path) {
    return store::open_sqlite_store({.path = path, .limits = {.low_disk_bytes = 0}});
}

// The bytes of a database with some work in it, closed properly.
const std::string& sound_file() {
    static const std::string bytes = [] {
        const TemporaryFolder folder;
        {
            auto store = open_store(folder.file("quarry.db")).value();
            Workload workload(*store, 7, [](const Promise&) {});
            for (int step = 0; step < 200; ++step) REQUIRE(workload.step());
        }
        return read_file(folder.file("quarry.db"));
    }();
    return bytes;
}

// Both the writer and the reader refuse the file, and leave it alone.
void check_refused(const std::string& bytes, ErrorCode code) {
    const TemporaryFolder folder;
    const std::string path = folder.write("quarry.db", bytes);

    const auto store = open_store(path);
    const auto reader = store::open_sqlite_reader(path);

    REQUIRE_FALSE(store);
    CHECK(store.error().code == code);
    CHECK(store.error().message.size() > 20);
    REQUIRE_FALSE(reader);
    CHECK(reader.error().code == code);
    CHECK(read_file(path) == bytes);
}

std::string with_sql(const std::string& bytes, std::string_view sql) {
    const TemporaryFolder folder;
    const std::string path = folder.write("quarry.db", bytes);
    REQUIRE(db::Connection::open(path, db::Access::create).value().execute(sql));
    return read_file(path);
}

}  // namespace

TEST_CASE("the file that the others are made of is sound") {
    const TemporaryFolder folder;
    const std::string path = folder.write("quarry.db", sound_file());

    CHECK(open_store(path));

    db::Connection connection = db::Connection::open(path, db::Access::write).value();
    CHECK(inconsistencies(connection).empty());
}

TEST_CASE("a file of other bytes is refused") {
    check_refused("hello, I am a letter to my grandmother", ErrorCode::corrupt);
    check_refused(std::string(100'000, '\0'), ErrorCode::corrupt);
    check_refused("%PDF-1.7" + std::string(5'000, 'x'), ErrorCode::corrupt);
}

TEST_CASE("a database with its header overwritten is refused") {
    std::mt19937_64 random(1);
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        std::string bytes = sound_file();
        for (std::size_t at = 0; at < 100; ++at) bytes[at] = static_cast<char>(random());
        check_refused(bytes, ErrorCode::corrupt);
    }
}

TEST_CASE("a database of a newer version is refused") {
    check_refused(with_sql(sound_file(), "PRAGMA user_version = 99"), ErrorCode::unsupported);
}

TEST_CASE("a database of another program is refused") {
    check_refused(with_sql("", "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT)"),
                  ErrorCode::corrupt);
    check_refused(with_sql("", "PRAGMA application_id = 252006674; CREATE TABLE t(id)"), ErrorCode::corrupt);
    check_refused(with_sql("", "PRAGMA application_id = 252006674"), ErrorCode::corrupt);
}

TEST_CASE("a database that is cut off is refused, or says at the first touch that it is damaged") {
    for (const std::size_t part : {1, 2, 3, 5, 8, 12, 15}) {
        const TemporaryFolder folder;
        const std::string bytes = sound_file().substr(0, sound_file().size() * part / 16 / 4096 * 4096 + 100);
        const std::string path = folder.write("quarry.db", bytes);

        const auto store = open_store(path);

        INFO("cut at ", bytes.size());
        REQUIRE_FALSE(store);
        CHECK(store.error().code == ErrorCode::corrupt);
        CHECK(read_file(path) == bytes);
    }
}

TEST_CASE("a database with random bytes in its middle is refused or read with errors, and crashes nobody") {
    std::mt19937_64 random(2);
    std::uint64_t refused = 0;
    for (std::uint64_t round = 0; round < rounds(60); ++round) {
        const TemporaryFolder folder;
        std::string bytes = sound_file();
        for (std::size_t at = 4096 + random() % (bytes.size() - 8192), end = at + 3000; at < end; ++at) {
            bytes[at] = static_cast<char>(random());
        }
        const std::string path = folder.write("quarry.db", bytes);
        {
            auto store = open_store(path);
            if (!store) {
                ++refused;
                CHECK(store.error().code == ErrorCode::corrupt);
                CHECK(read_file(path) == bytes);
                continue;
            }
            Workload workload(**store, round, [](const Promise&) {});
            for (int step = 0; step < 30; ++step) (void)workload.step();
        }
        const auto reader = store::open_sqlite_reader(path);
        if (reader) {
            (void)(*reader)->jobs({.filter = {.group = GroupId{1}}});
            (void)(*reader)->pages({.limit = 1'000, .with_content = true});
        }
    }
    CHECK(refused > rounds(60) / 12);
}

TEST_CASE("a folder in the place of the database is an error, not a crash") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("quarry.db"));

    CHECK(open_store(folder.file("quarry.db")).error().code == ErrorCode::unavailable);
}

}  // namespace quarry::test
