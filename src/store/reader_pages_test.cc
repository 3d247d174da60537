// What a reader shows of stored pages, written as the store writes them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/sqlite.h"
#include "servers/temporary_folder.h"
#include "store/reader_database.h"
#include "store/rows/pages.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store.h"
#include "store/sqlite/tables/pages.h"

namespace quarry::store {

namespace {

struct SqliteLibrary {
    test::TemporaryFolder folder;
    std::string path = folder.file("quarry.db");
    db::Connection connection = db::Connection::open(path, db::Access::create).value();
    ManualClock clock;
    std::int64_t last_id = 1'000;
    std::unique_ptr<Outbox> outbox;
    std::optional<PageRows> rows;
    std::unique_ptr<Reader> reader;

    SqliteLibrary() {
        REQUIRE(connection.execute("PRAGMA journal_mode = WAL"));
        REQUIRE(migrate(connection));
        REQUIRE(connection.execute("INSERT INTO owner(id, name) VALUES (1, 'ann')"));
        outbox = Outbox::create(connection).value();
        rows.emplace(PageRows::create(connection, {.outbox = *outbox,
                                                   .next_id = [this] { return ++last_id; },
                                                   .now = [this] { return clock.now(); }})
                         .value());
        reader = open_sqlite_reader(path).value();
        group(1);
        group(2);
    }

    bool is_there() const { return true; }
    void remove(const PageOwner& owner, const UrlKey& key) { REQUIRE(rows->remove(owner, key).value()); }
    void damage() { REQUIRE(connection.execute("UPDATE content SET markdown = x'28b52ffd00'")); }
    void begin() { REQUIRE(connection.execute("BEGIN IMMEDIATE")); }
    void commit() { REQUIRE(connection.execute("COMMIT")); }

    void group(int id) {
        REQUIRE(connection.execute(
            fmt::format("INSERT INTO grp VALUES ({}, 'crawl', '', '', 'docs', "
                        "'a.example', 1, 1, 2, 0, 1, 1, 1, 0, '[]', '[]', "
                        "'', 1, 1, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                        "NULL, NULL, NULL, 0, 0, '')",
                        id)));
    }

    void write(const PageOwner& owner, int number, const std::string& words) {
        const JobId url{++last_id};
        REQUIRE(
            connection.execute(fmt::format("INSERT INTO frontier VALUES ({0}, {1}, 1, x'{0:032x}', 2, NULL, "
                                           "1, 0, 1, 0, 0, 0, 0, 203, NULL, 8000, "
                                           "NULL, 'https://a.example/{2}', NULL, NULL, NULL, NULL, NULL, 0)",
                                           quarry::number(url), quarry::number(owner.group), number)));
        const Content content{.markdown = words, .details = "{}"};
        PageWrite write{.key = {1, static_cast<std::uint64_t>(number)},
                        .facts = {.url = fmt::format("https://a.example/{}", number),
                                  .status = 200,
                                  .title = "Title of " + words,
                                  .content_hash = content_hash("", words)},
                        .content = pack(content).value()};
        if (number == 9) write.near_duplicate_of = UrlKey{1, 1};
        REQUIRE(rows->write(owner, url, write));
    }
};

// The same rows, by SQL.
struct PostgresLibrary {
    by_sql::PostgresRows database;
    Reader* reader = database.reader.get();
    ManualClock clock;
    int last_id = 1'000;

    PostgresLibrary() {
        if (!is_there()) return;
        database.group({.id = 1});
        database.group({.id = 2});
    }

    bool is_there() const { return database.is_there(); }
    void write(const PageOwner& owner, int number, const std::string& words) {
        const int id = ++last_id;
        const std::int64_t now = clock.now().time_since_epoch().count();
        const std::string collection =
            owner.zero_retention ? fmt::format("#{}", quarry::number(owner.group)) : owner.collection;
        database.sql(fmt::format(
            "insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, "
            "status, "
            "finished_at, url) values ({0}, {1}, 1, '\\x{0:032x}', 2, 1, 0, 1, 0, 203, 8000, "
            "'https://a.example/{2}');"
            "insert into quarry.page(id, collection, key, site, content, version, seen_by, missed, status, "
            "content_hash, simhash, body_bytes, fetched_at, changed_at, near_duplicate_of, url, final_url, "
            "etag, "
            "last_modified, content_type, title, language) values ({3}, '{4}', '\\x{5:016x}{2:016x}', "
            "'a.example', {0}, 1, 1, 0, 200, 1, 1, 1, {6}, {6}, {7}, 'https://a.example/{2}', '', '', '', "
            "'', "
            "'Title of {8}', '') on conflict (collection, key) do update set content = excluded.content;"
            "insert into quarry.content select {0}, id, '{{}}', '{8}', '' from quarry.page"
            " where collection = '{4}' and key = '\\x{5:016x}{2:016x}';"
            "insert into quarry.result select {1}, {0}, {0}, page, id from quarry.content where id = {0};",
            id, quarry::number(owner.group), number, ++last_id, collection, 1, now,
            number == 9 ? fmt::format("'\\x{:016x}{:016x}'", 1, 1) : "null", words));
    }
    void remove(const PageOwner&, const UrlKey& key) {
        database.sql(
            fmt::format("delete from quarry.page where key = '\\x{:016x}{:016x}'", key.high, key.low));
    }
    void damage() { database.sql("update quarry.content set html = null, html_packed = '\\x28b52ffd00'"); }
    void begin() { database.sql("begin"); }
    void commit() { database.sql("commit"); }
};

#define EVERY_LIBRARY SqliteLibrary, PostgresLibrary

PageOwner crawl(int group, std::string collection = "docs") {
    return {.group = GroupId{group}, .collection = std::move(collection), .site = "a.example"};
}

std::vector<std::string> urls_of(const StoredPages& pages) {
    std::vector<std::string> urls;
    for (const StoredPage& page : pages.pages) urls.push_back(page.facts.url.substr(18));
    return urls;
}

using Urls = std::vector<std::string>;

}  // namespace

TEST_CASE_TEMPLATE("the pages of a collection are listed without their words unless asked for", Library,
                   EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "one");
    library.write(crawl(1), 2, "two");
    library.write(crawl(1, "blog"), 3, "three");

    const StoredPages pages = library.reader->pages({.collection = "docs"}).value();

    CHECK(urls_of(pages) == Urls{"1", "2"});
    CHECK(pages.pages[0].facts.title == "Title of one");
    CHECK(pages.pages[0].facts.status == 200);
    CHECK(pages.pages[0].collection == "docs");
    CHECK(pages.pages[0].changed_at == library.clock.now());
    CHECK_FALSE(pages.pages[0].content);
    CHECK_FALSE(pages.next);
    const StoredPages full = library.reader->pages({.collection = "docs", .with_content = true}).value();
    CHECK(full.pages[1].content.value().markdown == "two");
    CHECK(urls_of(library.reader->pages({}).value()) == Urls{"1", "2", "3"});
}

TEST_CASE_TEMPLATE("pages are listed page after page", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    for (int n = 1; n <= 8; ++n) library.write(crawl(1), n, "words");

    Urls collection, group;
    for (PageQuery page{.collection = "docs", .limit = 3};;) {
        const StoredPages pages = library.reader->pages(page).value();
        for (const std::string& url : urls_of(pages)) collection.push_back(url);
        if (!pages.next) break;
        page.after = *pages.next;
    }
    for (PageQuery page{.group = GroupId{1}, .limit = 3};;) {
        const StoredPages pages = library.reader->pages(page).value();
        for (const std::string& url : urls_of(pages)) group.push_back(url);
        if (!pages.next) break;
        page.after = *pages.next;
    }

    CHECK(collection == Urls{"1", "2", "3", "4", "5", "6", "7", "8"});
    CHECK(group == collection);
}

TEST_CASE_TEMPLATE("a crawl shows the words that it brought, also when they have changed since", Library,
                   EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "old words");
    library.write(crawl(2), 1, "new words");

    const StoredPages first = library.reader->pages({.group = GroupId{1}, .with_content = true}).value();
    const StoredPages second = library.reader->pages({.group = GroupId{2}, .with_content = true}).value();

    CHECK(first.pages.at(0).content.value().markdown == "old words");
    CHECK(second.pages.at(0).content.value().markdown == "new words");
    CHECK(first.pages.at(0).id == second.pages.at(0).id);
}

TEST_CASE_TEMPLATE("a crawl shows a page that was removed since", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "words");
    library.remove(crawl(2), {1, 1});

    const StoredPages pages = library.reader->pages({.group = GroupId{1}, .with_content = true}).value();

    REQUIRE(pages.pages.size() == 1);
    CHECK(pages.pages[0].facts.url == "https://a.example/1");
    CHECK(pages.pages[0].facts.status == 203);
    CHECK(pages.pages[0].facts.fetched_at == Timestamp(std::chrono::milliseconds(8'000)));
    CHECK(pages.pages[0].content.value().markdown == "words");
    CHECK(library.reader->pages({.collection = "docs"}).value().pages.empty());
}

TEST_CASE_TEMPLATE("a page is found by collection and key, with its words", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "one");
    library.write(crawl(1), 9, "one more");

    const auto page = library.reader->page("docs", {1, 9}).value();

    REQUIRE(page);
    CHECK(page->content.value().markdown == "one more");
    CHECK(page->near_duplicate_of == "https://a.example/1");
    CHECK_FALSE(library.reader->page("docs", {1, 5}).value());
    CHECK_FALSE(library.reader->page("blog", {1, 9}).value());
}

TEST_CASE_TEMPLATE("pages without retention are seen by their own crawl only", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    PageOwner fleeting = crawl(1);
    fleeting.zero_retention = true;
    library.write(fleeting, 1, "words");

    CHECK(library.reader->pages({}).value().pages.empty());
    const StoredPages pages = library.reader->pages({.group = GroupId{1}}).value();
    REQUIRE(pages.pages.size() == 1);
    CHECK(pages.pages[0].collection == "docs");
}

TEST_CASE_TEMPLATE("damaged words are an error that names the page", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "words");
    library.damage();

    const auto pages = library.reader->pages({.collection = "docs", .with_content = true});

    REQUIRE_FALSE(pages);
    CHECK(pages.error().code == ErrorCode::corrupt);
    CHECK(pages.error().message.find("https://a.example/1") != std::string::npos);
    CHECK(library.reader->pages({.collection = "docs"}).value().pages.size() == 1);
}

TEST_CASE_TEMPLATE("damaged words are passed over by who wants what is left", Library, EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.write(crawl(1), 1, "words");
    library.damage();
    library.write(crawl(1), 2, "words that are whole");

    const auto pages =
        library.reader->pages({.collection = "docs", .with_content = true, .pass_damaged = true}).value();

    CHECK(urls_of(pages) == Urls{"2"});
    REQUIRE(pages.damaged.size() == 1);
    CHECK(pages.damaged[0].message.contains("https://a.example/1"));
}

TEST_CASE_TEMPLATE("a reader sees what was committed, and never waits for the writer", Library,
                   EVERY_LIBRARY) {
    Library library;
    if (!library.is_there()) return;
    library.begin();
    library.write(crawl(1), 1, "words");

    CHECK(library.reader->pages({}).value().pages.empty());
    library.commit();
    CHECK(library.reader->pages({}).value().pages.size() == 1);
}

}  // namespace quarry::store
