#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "app/owner/methods.h"
#include "servers/temporary_folder.h"
#include "store/sqlite/store.h"
#include "work/import/documents.h"

using namespace quarry;
using namespace quarry::app;
namespace json = boost::json;

namespace {

struct Place {
    test::TemporaryFolder folder{};
    std::unique_ptr<store::Store> store =
        store::open_sqlite_store({.path = folder.file("quarry.db")}).value();
    std::unique_ptr<store::Reader> reader = store::open_sqlite_reader(folder.file("quarry.db")).value();
    int collections = 0;  // that were made by number

    // What the method answers, as text; the error's words if it fails.
    std::string write(std::string_view params) {
        const auto answer = perform(*store, "write_pages", json::parse(params).as_object());
        return answer ? json::serialize(*answer) : answer.error().message;
    }
    StoredPage page(const std::string& collection, const std::string& url) {
        return reader->page(collection, work::document_key(url)).value().value();
    }
    std::int64_t pending(const std::string& collection) {
        return reader->outbox_counts(collection, std::nullopt).value().pending;
    }
};

}  // namespace

TEST_CASE("a page that no crawl brought is stored with its words, and waits to be indexed") {
    Place place;

    const std::string answer = place.write(R"({"collection":"notes","site":"s","pages":[{
        "url":"https://a.example/7","id":"7","title":"T","markdown":"# Words","language":"en",
        "content_type":"text/markdown","etag":"1-2","metadata":{"author":"Ann"}}]})");

    CHECK(answer == R"({"added":1,"changed":0,"unchanged":0})");
    const StoredPage page = place.page("notes", "https://a.example/7");
    CHECK(page.facts.url == "https://a.example/7");
    CHECK(page.facts.title == "T");
    CHECK(page.facts.language == "en");
    CHECK(page.facts.etag == "1-2");
    CHECK(page.content->markdown == "# Words");
    CHECK(json::parse(page.content->details) == json::parse(R"({"id":"7","metadata":{"author":"Ann"}})"));
    CHECK(place.pending("notes") == 1);
}

TEST_CASE("the priority of pages is high, normal or low, or 1, 2 or 3, and anything else an error") {
    Place place;
    const auto written = [&](const std::string& priority) {
        return place.write(R"({"collection":"p)" + std::to_string(++place.collections) + R"(","priority":)" +
                           priority + R"(,"pages":[{"url":"1","markdown":"one"}]})");
    };
    const auto waiting = [&] {
        return place.reader
            ->jobs({.filter = {.kind = "embed_page", .collection = "p" + std::to_string(place.collections)}})
            .value();
    };
    struct Row {
        const char* priority;
        int kept;
    };
    for (const Row& row : {Row{"1", 1}, Row{"2", 2}, Row{"3", 3}, Row{R"("high")", 1}, Row{R"("normal")", 2},
                           Row{R"("low")", 3}}) {
        CAPTURE(row.priority);
        CHECK(written(row.priority) == R"({"added":1,"changed":0,"unchanged":0})");
        CHECK(waiting().at(0).priority == row.kept);
    }
    for (const char* wrong : {"0", "4", "-1", "1.5", "null", "true", R"("urgent")", "[1]"}) {
        CAPTURE(wrong);
        CHECK(written(wrong).find("high, normal or low, or 1, 2 or 3") != std::string::npos);
        CHECK(waiting().empty());
    }
    CHECK(place.write(R"({"pages":[],"prio":1})").find("\"prio\" is not known") != std::string::npos);
}

TEST_CASE("the same pages again change nothing, other words do") {
    Place place;
    const char* pages = R"({"pages":[{"url":"1","markdown":"one"},{"url":"2","markdown":"two"}]})";
    CHECK(place.write(pages) == R"({"added":2,"changed":0,"unchanged":0})");
    CHECK(place.write(pages) == R"({"added":0,"changed":0,"unchanged":2})");

    CHECK(place.write(R"({"pages":[{"url":"1","markdown":"one"},{"url":"2","markdown":"zwei"}]})") ==
          R"({"added":0,"changed":1,"unchanged":1})");

    CHECK(place.page("default", "2").content->markdown == "zwei");
    CHECK(place.pending("default") == 2);
}

TEST_CASE("a file that was only touched has its new state noted") {
    Place place;
    place.write(R"({"pages":[{"url":"file:///a.md","markdown":"one","etag":"3-1"}]})");
    place.write(R"({"pages":[{"url":"file:///a.md","markdown":"one","etag":"3-2"}]})");

    CHECK(place.page("default", "file:///a.md").facts.etag == "3-2");
}

TEST_CASE("pages can be kept out of the index, or go before others") {
    Place place;
    place.write(R"({"collection":"out","index":false,"pages":[{"url":"1","markdown":"one"}]})");
    place.write(R"({"collection":"in","pages":[{"url":"1","markdown":"one"}]})");
    place.write(R"({"collection":"in","priority":1,"pages":[{"url":"2","markdown":"two"}]})");
    const WorkerId worker = place.store->register_worker("test").value();

    const auto leased = place.store->lease({.worker = worker, .changes = 10}).value();

    CHECK(place.pending("out") == 0);
    REQUIRE(leased.changes.size() == 2);
    CHECK(leased.changes[0].url == "2");
    CHECK(leased.changes[1].url == "1");
}

TEST_CASE("words of fifty megabytes come in a file") {
    Place place;
    std::string words;
    while (words.size() < (50u << 20)) words += "word" + std::to_string(words.size()) + " ";
    const std::string file = place.folder.write("words", words);

    const auto answer = perform(
        *place.store, "write_pages",
        {{"pages", json::array{json::object{{"url", "1"}, {"title", "T"}, {"markdown_file", file}}}}});

    CHECK(answer.value().at("added") == 1);
    CHECK(place.page("default", "1").content->markdown == words);
}

TEST_CASE("what is no page is refused, with the reason") {
    Place place;

    CHECK(place.write("{}").find("\"pages\"") != std::string::npos);
    CHECK(place.write(R"({"pages":[7]})").find("object") != std::string::npos);
    CHECK(place.write(R"({"pages":[{"url":"1"}]})").find("no words") != std::string::npos);
    CHECK(place.write(R"({"pages":[{"markdown":"words"}]})").find("\"url\"") != std::string::npos);
    CHECK(place.write(R"({"pages":[{"url":"1","markdown_file":"/nowhere"}]})").find("/nowhere") !=
          std::string::npos);
}
