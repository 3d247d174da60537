// What becomes of pages, their words and the outbox, row by row.
#include "store/sqlite/tables/pages.h"

#include <doctest/doctest.h>

#include "base/clock.h"
#include "db/sqlite.h"
#include "store/sqlite/schema.h"

namespace quarry::store {

namespace {

struct Pages {
    db::Connection connection = db::Connection::open(":memory:", db::Access::create).value();
    ManualClock clock;
    std::int64_t last_id = 1'000;
    bool migrated = migrate(connection).has_value();
    std::unique_ptr<Outbox> outbox = Outbox::create(connection).value();
    PageRows rows = PageRows::create(connection, {.outbox = *outbox,
                                                  .next_id = [this] { return ++last_id; },
                                                  .now = [this] { return clock.now(); }})
                        .value();

    std::int64_t count(std::string_view sql) { return connection.integer(sql).value().value_or(-1); }
};

PageOwner crawl(std::int64_t group) {
    return {.group = GroupId{group}, .collection = "docs", .site = "a.example", .priority = 2};
}

UrlKey key(std::uint64_t number) {
    return {.high = 0x8000'0000'0000'0000 + number, .low = number};
}

PageWrite page(std::uint64_t number, std::uint64_t hash) {
    return {.key = key(number),
            .facts = {.url = "https://a.example/" + std::to_string(number),
                      .status = 200,
                      .etag = "\"" + std::to_string(hash) + "\"",
                      .title = "Title",
                      .content_hash = hash},
            .content = PackedContent{.markdown = "words", .details = "{}"}};
}

PageWrite unchanged(std::uint64_t number) {
    PageWrite write = page(number, 0);
    write.content.reset();
    write.facts.etag.clear();
    return write;
}

}  // namespace

TEST_CASE("a new page gets words, a result and an outbox row") {
    Pages pages;

    const PageChange change = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    CHECK(change.is_new);
    CHECK_FALSE(change.unchanged);
    CHECK(pages.count("SELECT content FROM page WHERE version = 1 AND seen_by = 1") ==
          number(change.content));
    CHECK(pages.count("SELECT content FROM result WHERE grp = 1 AND url = 7") == number(change.content));
    CHECK(pages.count("SELECT page FROM content") == number(change.page));
    CHECK(pages.count("SELECT page FROM outbox WHERE state = 0 AND priority = 2") == number(change.page));
}

TEST_CASE("the same words again keep the version and wait for no indexing") {
    Pages pages;
    const PageChange first = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    const PageChange again = pages.rows.write(crawl(2), JobId{8}, page(1, 11)).value();

    CHECK(again.unchanged);
    CHECK(again.page == first.page);
    CHECK(again.content == first.content);
    CHECK(pages.count("SELECT version FROM page WHERE seen_by = 2") == 1);
    CHECK(pages.count("SELECT count(*) FROM outbox") == 1);
    CHECK(pages.count("SELECT count(*) FROM result") == 2);
    CHECK(pages.count("SELECT count(*) FROM content") == 1);
}

TEST_CASE("a page answered with 304 keeps its words and its validators") {
    Pages pages;
    const PageChange first = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    const PageChange again = pages.rows.write(crawl(2), JobId{8}, unchanged(1)).value();

    CHECK(again.unchanged);
    CHECK(again.content == first.content);
    CHECK(pages.rows.former(crawl(3), key(1)).value().value().etag == "\"11\"");
    CHECK(pages.rows.former(crawl(3), key(1)).value().value().content_hash == 11);
}

TEST_CASE("a page said to be unchanged that is not stored must be fetched anew") {
    Pages pages;

    const auto change = pages.rows.write(crawl(1), JobId{7}, unchanged(1));

    REQUIRE_FALSE(change);
    CHECK(change.error().code == ErrorCode::not_found);
}

TEST_CASE("new words make a new version and replace the change that still waits") {
    Pages pages;
    const PageChange first = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    const PageChange second = pages.rows.write(crawl(2), JobId{8}, page(1, 12)).value();

    CHECK_FALSE(second.unchanged);
    CHECK_FALSE(second.is_new);
    CHECK(second.page == first.page);
    CHECK(pages.count("SELECT content FROM page WHERE version = 2") == number(second.content));
    CHECK(pages.count("SELECT content FROM outbox WHERE version = 2") == number(second.content));
    CHECK(pages.count("SELECT count(*) FROM outbox") == 1);
}

TEST_CASE("a change that is being indexed is not taken away") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    REQUIRE(pages.connection.execute("INSERT INTO lease SELECT id, 1, 1, 0 FROM outbox"));

    pages.rows.write(crawl(2), JobId{8}, page(1, 12)).value();

    CHECK(pages.count("SELECT count(*) FROM outbox") == 2);
}

TEST_CASE("former words live while a crawl that brought them does") {
    Pages pages;
    const PageChange first = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    pages.rows.write(crawl(2), JobId{8}, page(1, 12)).value();
    CHECK(pages.count("SELECT count(*) FROM content") == 2);

    const DroppedPages dropped = pages.rows.drop_group(GroupId{1}, 100).value();

    CHECK(dropped.results == 1);
    CHECK(dropped.contents == 1);
    CHECK(pages.count("SELECT count(*) FROM content WHERE id = " + std::to_string(number(first.content))) ==
          0);
    CHECK(pages.count("SELECT count(*) FROM content") == 1);
    CHECK(pages.rows.drop_group(GroupId{1}, 100).value().is_empty());
}

TEST_CASE("dropping a crawl keeps the words that its pages still have") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    CHECK(pages.rows.drop_group(GroupId{1}, 100).value().contents == 0);

    CHECK(pages.count("SELECT count(*) FROM content") == 1);
    CHECK(pages.count("SELECT count(*) FROM page") == 1);
}

TEST_CASE("a crawl is dropped in steps of the size asked for") {
    Pages pages;
    for (std::uint64_t n = 0; n < 5; ++n) pages.rows.write(crawl(1), JobId{7}, page(n, n)).value();

    CHECK(pages.rows.drop_group(GroupId{1}, 2).value().results == 2);
    CHECK(pages.rows.drop_group(GroupId{1}, 2).value().results == 2);
    CHECK(pages.rows.drop_group(GroupId{1}, 2).value().results == 1);
    CHECK(pages.count("SELECT count(*) FROM result") == 0);
}

TEST_CASE("words that nobody has any more go when the page gets new ones") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    REQUIRE(pages.rows.drop_group(GroupId{1}, 100));

    pages.rows.write(crawl(2), JobId{8}, page(1, 12)).value();

    CHECK(pages.count("SELECT count(*) FROM content") == 1);
}

TEST_CASE("a removed page is announced to the index, and stays in the crawl that brought it") {
    Pages pages;
    const PageChange change = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();

    CHECK(pages.rows.remove(crawl(2), key(1)).value());
    CHECK_FALSE(pages.rows.remove(crawl(2), key(1)).value());

    CHECK(pages.count("SELECT count(*) FROM page") == 0);
    CHECK(pages.count("SELECT count(*) FROM content") == 1);
    CHECK(pages.count("SELECT count(*) FROM outbox") == 1);
    CHECK(pages.count("SELECT page FROM outbox WHERE content IS NULL AND grp = 2 AND version = 2") ==
          number(change.page));
    CHECK(pages.rows.drop_group(GroupId{1}, 100).value().contents == 1);
}

TEST_CASE("a page that was never to be indexed is removed in silence") {
    Pages pages;
    PageOwner owner = crawl(1);
    owner.index_pages = false;
    pages.rows.write(owner, JobId{7}, page(1, 11)).value();

    CHECK(pages.rows.remove(owner, key(1)).value());

    CHECK(pages.count("SELECT count(*) FROM outbox") == 0);
}

TEST_CASE("a crawl that does not index leaves no waiting change without its words") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    PageOwner quiet = crawl(2);
    quiet.index_pages = false;

    const PageChange change = pages.rows.write(quiet, JobId{8}, page(1, 12)).value();

    CHECK(pages.count("SELECT count(*) FROM outbox") == 1);
    CHECK(pages.count("SELECT content FROM outbox WHERE version = 2") == number(change.content));
}

TEST_CASE("pages that crawls of their site miss are removed after as many misses as asked for") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    pages.rows.write(crawl(1), JobId{8}, page(2, 12)).value();

    pages.rows.write(crawl(2), JobId{9}, page(1, 11)).value();
    CHECK(pages.rows.settle(crawl(2), 2).value() == 0);
    CHECK(pages.count("SELECT count(*) FROM page") == 2);

    pages.rows.write(crawl(3), JobId{10}, page(1, 11)).value();
    CHECK(pages.rows.settle(crawl(3), 2).value() == 1);
    CHECK(pages.count("SELECT count(*) FROM page") == 1);
    CHECK(pages.rows.former(crawl(4), key(1)).value());
    CHECK_FALSE(pages.rows.former(crawl(4), key(2)).value());
}

TEST_CASE("a page met again has no misses") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    CHECK(pages.rows.settle(crawl(2), 2).value() == 0);

    pages.rows.write(crawl(3), JobId{9}, unchanged(1)).value();
    CHECK(pages.rows.settle(crawl(3), 2).value() == 0);

    CHECK(pages.count("SELECT missed FROM page") == 0);
    CHECK(pages.rows.settle(crawl(4), 2).value() == 0);
}

TEST_CASE("settling looks at no other site and no other collection") {
    Pages pages;
    PageOwner other_site = crawl(1), other_collection = crawl(1);
    other_site.site = "b.example";
    other_collection.collection = "blogs";
    pages.rows.write(other_site, JobId{7}, page(1, 11)).value();
    pages.rows.write(other_collection, JobId{8}, page(2, 12)).value();

    CHECK(pages.rows.settle(crawl(2), 1).value() == 0);

    CHECK(pages.count("SELECT sum(missed) FROM page") == 0);
    CHECK(pages.rows.has_pages(other_site).value());
    CHECK_FALSE(pages.rows.has_pages(crawl(2)).value());
}

TEST_CASE("a thousand missed pages are removed, more than one step takes") {
    Pages pages;
    for (std::uint64_t n = 0; n < 1'000; ++n) {
        pages.rows.write(crawl(n % 2 == 0 ? 1 : 2), JobId{7}, page(n, n)).value();
    }

    CHECK(pages.rows.settle(crawl(2), 1).value() == 500);

    CHECK(pages.count("SELECT count(*) FROM page WHERE seen_by = 2") == 500);
    CHECK(pages.count("SELECT count(*) FROM outbox WHERE content IS NULL") == 500);
}

TEST_CASE("pages without retention replace nothing, are not indexed, and go with their crawl") {
    Pages pages;
    const PageChange kept = pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    PageOwner fleeting = crawl(2);
    fleeting.zero_retention = true;

    CHECK_FALSE(pages.rows.former(fleeting, key(1)).value());
    CHECK(pages.rows.write(fleeting, JobId{8}, page(1, 12)).value().is_new);
    CHECK(pages.count("SELECT count(*) FROM outbox") == 1);

    const DroppedPages dropped = pages.rows.drop_group(GroupId{2}, 100).value();
    CHECK(dropped.pages == 1);
    CHECK(dropped.contents == 1);
    CHECK(pages.count("SELECT id FROM page") == number(kept.page));
    CHECK(pages.count("SELECT id FROM content") == number(kept.content));
}

TEST_CASE("HTML that a later crawl asks for is added to the same words") {
    Pages pages;
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    PageWrite with_html = page(1, 11);
    with_html.content->html = "html";

    const PageChange change = pages.rows.write(crawl(2), JobId{8}, with_html).value();

    CHECK(change.unchanged);
    CHECK(pages.count("SELECT length(html) FROM content") == 4);
}

TEST_CASE("a near duplicate remembers whose it is, also when it has not changed") {
    Pages pages;
    PageWrite twin = page(2, 12);
    twin.near_duplicate_of = key(1);
    pages.rows.write(crawl(1), JobId{7}, page(1, 11)).value();
    pages.rows.write(crawl(1), JobId{8}, twin).value();

    pages.rows.write(crawl(2), JobId{9}, unchanged(2)).value();

    CHECK(pages.count("SELECT count(*) FROM page WHERE near_duplicate_of = "
                      "(SELECT key FROM page ORDER BY id LIMIT 1)") == 1);
}

}  // namespace quarry::store
