// Files that are no index, or no longer one: each is refused in a sentence, as something to be made anew, and
// nothing crashes.
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/sqlite.h"
#include "effort.h"
#include "index/consistency.h"
#include "index/embedded/embedded_index.h"
#include "index/promises/backend.h"
#include "servers/temporary_folder.h"

namespace quarry::test {

namespace {

using Access = index::EmbeddedIndexConfig::Access;

Result<std::unique_ptr<index::EmbeddedIndex>> open_index(const std::string& path,
                                                         Access access = Access::write) {
    return index::open_embedded_index({.path = path, .access = access, .tail_chunks = 64});
}

void fill(index::EmbeddedIndex& index) {
    REQUIRE(index.set_embedder("c", {.provider = "tei", .model = "m", .dimensions = 8}));
    for (int page = 1; page <= 60; ++page) {
        std::vector<index::IndexedChunk> chunks;
        for (int chunk = 0; chunk < 4; ++chunk) {
            chunks.push_back(index::promises::chunk_of("word w" + std::to_string(page * chunk % 50),
                                                       {1, 2, 3, 4, 5, 6, 7, static_cast<float>(page)}));
        }
        std::vector<index::IndexedPage> pages;
        pages.push_back(index::promises::page_of(page, std::move(chunks)));
        REQUIRE(index.replace("c", std::move(pages)));
    }
}

// The bytes of an index with something in it, closed properly.
const std::string& sound_file() {
    static const std::string bytes = [] {
        const TemporaryFolder folder;
        fill(*open_index(folder.file("index.db")).value());
        return read_file(folder.file("index.db"));
    }();
    return bytes;
}

void check_refused(const std::string& bytes, ErrorCode code) {
    const TemporaryFolder folder;
    const std::string path = folder.write("index.db", bytes);

    const auto writer = open_index(path);
    const auto reader = open_index(path, Access::read);

    REQUIRE_FALSE(writer);
    CHECK(writer.error().code == code);
    CHECK(writer.error().message.size() > 20);
    REQUIRE_FALSE(reader);
    CHECK(reader.error().code == code);
    CHECK(read_file(path) == bytes);
}

std::string with_sql(const std::string& sql) {
    const TemporaryFolder folder;
    const std::string path = folder.write("index.db", sound_file());
    REQUIRE(db::Connection::open(path, db::Access::create).value().execute(sql));
    return read_file(path);
}

// Asks for everything. What it answers does not matter, as long as it is an answer.
void use_up(index::EmbeddedIndex& index) {
    index::KeywordQuery query;
    query.words = {{"word", 1}, {"w7", 1}};
    (void)index.match("c", query, {}, 100);
    (void)index.nearest("c", std::vector<float>(8, 1.0F), {}, 100);
    (void)index.chunks_after("c", 0, 1'000, 1);
    (void)index.similar_words("c", "wird", 3);
    std::vector<ChunkRef> refs;
    for (int page = 1; page <= 60; ++page) refs.push_back(index::promises::ref(page, 1));
    (void)index.read("c", refs);
    (void)index.settle();
    std::vector<index::IndexedPage> pages;
    pages.push_back(index::promises::page_of(5, {index::promises::chunk_of("new words")}, 9));
    (void)index.replace("c", std::move(pages));
}

}  // namespace

TEST_CASE("the file that the others are made of is sound") {
    const TemporaryFolder folder;
    const std::string path = folder.write("index.db", sound_file());

    const auto index = open_index(path);

    REQUIRE(index);
    CHECK((*index)->facts("c").value().chunks == 240);
    CHECK(index_inconsistencies(path, Tidiness::any).empty());
}

TEST_CASE("a file of other bytes is refused and left alone") {
    check_refused(std::string(50'000, 'x'), ErrorCode::corrupt);
    check_refused("not a database at all, but it has more than sixteen bytes", ErrorCode::corrupt);
}

TEST_CASE("a database of another program is refused and left alone") {
    const TemporaryFolder folder;
    const std::string path = folder.file("other.db");
    REQUIRE(db::Connection::open(path, db::Access::create)
                .value()
                .execute("CREATE TABLE t(x); PRAGMA application_id = 77"));
    check_refused(read_file(path), ErrorCode::corrupt);
}

TEST_CASE("an index of a newer version is refused and left alone") {
    check_refused(with_sql("PRAGMA user_version = 99"), ErrorCode::unsupported);
}

TEST_CASE("a file that is cut off is refused when it is opened, or answers with an error") {
    for (const std::size_t left :
         {std::size_t{100}, std::size_t{8'192}, sound_file().size() / 2, sound_file().size() - 8'192}) {
        CAPTURE(left);
        const TemporaryFolder folder;
        const std::string path = folder.write("index.db", sound_file().substr(0, left));
        const auto index = open_index(path);
        if (!index) {
            CHECK(index.error().code == ErrorCode::corrupt);
        } else {
            use_up(**index);
        }
    }
}

TEST_CASE("flipped bytes anywhere lead to errors at worst") {
    std::mt19937 random(23);
    for (std::uint64_t round = 0; round < rounds(60); ++round) {
        CAPTURE(round);
        std::string bytes = sound_file();
        for (unsigned flips = 1 + random() % 30; flips > 0; --flips) {
            bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
        }
        const TemporaryFolder folder;
        const std::string path = folder.write("index.db", bytes);
        for (const Access access : {Access::read, Access::write}) {
            const auto index = open_index(path, access);
            if (index) use_up(**index);
        }
    }
}

TEST_CASE("damage to a table that says where the others are is an error, and not an index without hits") {
    const TemporaryFolder folder;
    const std::string sound = folder.write("sound.db", sound_file());
    for (const char* table : {"meta", "collection", "segment", "space"}) {
        CAPTURE(table);
        db::Connection connection = db::Connection::open(sound, db::Access::read_only).value();
        const auto root = static_cast<std::size_t>(
            connection.integer(fmt::format("SELECT rootpage FROM sqlite_schema WHERE name = '{}'", table))
                .value()
                .value());
        const auto page = static_cast<std::size_t>(connection.integer("PRAGMA page_size").value().value());
        std::string bytes = sound_file();
        // The page has no cells any more, and all else of it is as it was.
        bytes[(root - 1) * page + 3] = bytes[(root - 1) * page + 4] = 0;

        const std::string damaged = folder.write("damaged.db", bytes);

        for (const Access access : {Access::read, Access::write}) {
            const auto index = open_index(damaged, access);
            REQUIRE_FALSE(index);
            CHECK(index.error().code == ErrorCode::corrupt);
            CHECK(index.error().message.find(table) != std::string::npos);
        }
    }
}

TEST_CASE("a file that was deleted is a new index") {
    const TemporaryFolder folder;
    const std::string path = folder.file("index.db");
    fill(*open_index(path).value());
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);

    const auto index = open_index(path).value();

    CHECK(index->collections().value().empty());
    CHECK(index->source().value().empty());
    fill(*index);
    CHECK(index->facts("c").value().chunks == 240);
}

}  // namespace quarry::test
