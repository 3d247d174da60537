#include <doctest/doctest.h>

#include "servers/postgres.h"
#include "store/postgres/store.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/pages.h"

namespace quarry::store {

namespace {

struct Content {
    test::EmptyDatabase database{};
    std::unique_ptr<Store> store = open_postgres_store({.database = {.url = database.url()}}).value();
    std::unique_ptr<Reader> reader = open_postgres_reader({.url = database.url()}).value();
    KeptCrawl crawl{.id = GroupId(1'000'001), .name = "https://a.example/", .site = "a.example"};
};

#define CONTENT(content)                                 \
    if (!test::Postgres::is_installed()) {               \
        MESSAGE("skipped: PostgreSQL is not installed"); \
        return;                                          \
    }                                                    \
    Content content

Visit visit_of(std::int64_t token, const std::string& words) {
    const UrlKey key{.high = 1, .low = 2};
    PageWrite page{.key = key,
                   .facts = {.url = "https://a.example/",
                             .status = 200,
                             .content_hash = content_hash("", words),
                             .body_bytes = 7},
                   .content = pack({.markdown = words, .details = "{}"}).value()};
    page.facts.etag = "\"1\"";
    return {.lease = {JobId(1'000'002), Token(token)},
            .url = "https://a.example/",
            .key = key,
            .status = 200,
            .pages = {std::move(page)}};
}

}  // namespace

TEST_CASE("a visit that is sent again changes nothing and is answered as before") {
    CONTENT(content);
    const auto first = content.store->keep_visits(content.crawl, {visit_of(5, "words")}).value();

    const auto again = content.store->keep_visits(content.crawl, {visit_of(5, "words")}).value();

    REQUIRE(first.at(0).content);
    CHECK(again.at(0).content == first[0].content);
    CHECK(again[0].bytes == 7);
    CHECK(content.reader->pages({.group = content.crawl.id, .limit = 10})->pages.size() == 1);
}

TEST_CASE("a visit of a later lease takes the place of an earlier one, which is refused from then on") {
    CONTENT(content);
    REQUIRE(content.store->keep_visits(content.crawl, {visit_of(5, "words")}));
    const auto later = content.store->keep_visits(content.crawl, {visit_of(6, "other words")}).value();

    const auto earlier = content.store->keep_visits(content.crawl, {visit_of(5, "words")}).value();

    CHECK(earlier.at(0).is_outdated);
    CHECK_FALSE(later.at(0).is_outdated);
    CHECK(content.reader->pages({.group = content.crawl.id, .limit = 10})->pages.size() == 1);
}

TEST_CASE("what is stored of a URL is known to the next crawl of its site") {
    CONTENT(content);
    const std::vector<UrlKey> keys = {{.high = 9, .low = 9}, {.high = 1, .low = 2}};
    CHECK(content.store->former_pages(content.crawl, keys)->empty());
    REQUIRE(content.store->keep_visits(content.crawl, {visit_of(5, "words")}));

    const auto former = content.store->former_pages(content.crawl, keys).value();

    REQUIRE(former.size() == 2);
    CHECK_FALSE(former[0]);
    REQUIRE(former[1]);
    CHECK(former[1]->etag == "\"1\"");
}

TEST_CASE("a crawl that lives elsewhere can be erased once it is over, and takes no more visits") {
    CONTENT(content);
    REQUIRE(content.store->keep_visits(content.crawl, {visit_of(5, "words")}));
    CHECK(content.store->erase(content.crawl.id).error().code == ErrorCode::conflict);
    content.crawl.ended = Group{.state = JobState::completed, .finished_at = content.store->now()};
    REQUIRE(content.store->keep_visits(content.crawl, {}));
    CHECK(content.reader->group(content.crawl.id)->state == JobState::completed);
    CHECK(content.store->keep_visits(content.crawl, {visit_of(6, "late")}).value().at(0).is_outdated);

    REQUIRE(content.store->erase(content.crawl.id));

    CHECK(content.reader->group(content.crawl.id).error().code == ErrorCode::not_found);
}

}  // namespace quarry::store
