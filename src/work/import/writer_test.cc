#include "work/import/writer.h"

#include <filesystem>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <unistd.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::work;
using test::TemporaryFolder;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// An owner that takes everything, and remembers it.
struct Taker {
    std::vector<json::object> heard{};

    ImportWriter::Send send() {
        return [this](json::object params) -> Result<json::value> {
            heard.push_back(std::move(params));
            const auto count = static_cast<std::int64_t>(heard.back().at("pages").as_array().size());
            return json::object{{"added", count}, {"changed", 0}, {"unchanged", 0}};
        };
    }
};

}  // namespace

TEST_CASE("documents are gathered until there are enough for a message") {
    ImportWriter writer({.collection = "notes", .site = "s", .priority = 1, .index_pages = false});
    Taker taker;
    int added = 0;
    while (!writer.is_full()) {
        REQUIRE(writer.add({.url = std::to_string(added++), .markdown = std::string(1'000, 'x')}));
    }

    REQUIRE(writer.send(taker.send()));

    CHECK(added > 500);
    CHECK(writer.is_empty());
    CHECK(writer.written().added == added);
    REQUIRE(taker.heard.size() == 1);
    CHECK(json::serialize(taker.heard[0]).size() < (4u << 20));
    CHECK(taker.heard[0].at("collection") == "notes");
    CHECK(taker.heard[0].at("site") == "s");
    CHECK(taker.heard[0].at("priority") == 1);
    CHECK(taker.heard[0].at("index") == false);
}

TEST_CASE("a batch that could not be sent is sent again") {
    ImportWriter writer({});
    Taker taker;
    REQUIRE(writer.add({.url = "7", .markdown = "words"}));

    const auto failed = writer.send(
        [](json::object) -> Result<json::value> { return fail(ErrorCode::not_found, "it has left"); });
    REQUIRE_FALSE(failed);
    REQUIRE(writer.send(taker.send()));
    REQUIRE(writer.send(taker.send()));

    REQUIRE(taker.heard.size() == 1);
    CHECK(taker.heard[0].at("pages").at(0).at("url") == "7");
}

TEST_CASE("words that are too long for a message go by way of a file, which is gone afterwards") {
    const TemporaryFolder folder;
    const std::string words(20u << 20, '\x01');
    ImportWriter writer({.folder = folder.path()});
    Taker taker;

    REQUIRE(writer.add({.url = "7", .title = "T", .markdown = words}));
    CHECK(writer.is_full());
    ImportDocument arrived;
    REQUIRE(writer.send([&](json::object params) -> Result<json::value> {
        CHECK(json::serialize(params).size() < 10'000);
        const json::value& page = params.at("pages").at(0);
        arrived = parse_import_document(page).value();
        REQUIRE(pick_up_words(page, arrived));
        return json::object{{"added", 1}, {"changed", 0}, {"unchanged", 0}};
    }));

    CHECK(arrived.title == "T");
    CHECK(arrived.markdown == words);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("words that are not there any more are an error") {
    const json::value page = {{"url", "7"}, {"markdown_file", "/nowhere/words"}};
    ImportDocument document{.url = "7"};

    CHECK(pick_up_words(page, document).error().code == ErrorCode::unavailable);
}

TEST_CASE("words that nobody can put down are an error, and the document is not gathered") {
    ImportWriter writer({.folder = "/nowhere"});

    CHECK_FALSE(writer.add({.url = "7", .markdown = std::string(3u << 20, 'x')}));
    CHECK(writer.is_empty());
}

TEST_CASE("what a killed import left behind is removed, and what a living one needs stays") {
    const TemporaryFolder folder;
    folder.write("import-999999999-1.words", "x");
    folder.write("import-" + std::to_string(getpid()) + "-1.words", "x");
    folder.write("quarry.db", "x");

    remove_abandoned_words(folder.path());

    CHECK_FALSE(fs::exists(folder.file("import-999999999-1.words")));
    CHECK(fs::exists(folder.file("import-" + std::to_string(getpid()) + "-1.words")));
    CHECK(fs::exists(folder.file("quarry.db")));
}
