// What transactional stores promise about pages that no crawl brought, about forgetting and indexing again,
// and about collections.
#include <algorithm>

#include "model/collection.h"
#include "store/promises/backend.h"
#include "store/rows/pages.h"

namespace quarry::store::promises {

namespace {

PageWrite page(std::uint64_t key, const std::string& words, const std::string& url) {
    return {.key = {1, key},
            .facts = {.url = url,
                      .final_url = url,
                      .status = 200,
                      .content_hash = content_hash("", words),
                      .fetched_at = Timestamp(1s)},
            .content = pack({.markdown = words, .details = "{}"}).value()};
}

PageWrite page(std::uint64_t key, const std::string& words = "words") {
    return page(key, words, "https://a.example/" + std::to_string(key));
}

// A crawl that has brought these pages and is over.
GroupId crawled(Backend& backend, NewGroup group, const std::vector<PageWrite>& pages) {
    std::vector<FoundUrl> seeds;
    for (const PageWrite& write : pages) {
        seeds.push_back({.url = write.facts.url, .key = write.key, .host = "a.example"});
    }
    const GroupId id = backend.store->add_group(std::move(group), {}, seeds).value();
    for (const UrlLease& lease : backend.lease_urls(100)) {
        const auto found = std::ranges::find(pages, lease.key, &PageWrite::key);
        backend.finish(lease.lease, {.status = 200, .pages = {*found}});
    }
    REQUIRE(backend.group(id).is_over());
    return id;
}

// Everything that waits is indexed.
std::vector<ChangeLease> index_all(Backend& backend) {
    const auto changes = backend.lease_for({.changes = 1'000}).changes;
    for (const ChangeLease& change : changes) backend.finish(change.lease);
    return changes;
}

std::vector<std::string> urls(Backend& backend, const std::string& collection = "") {
    std::vector<std::string> urls;
    const auto pages = backend.reader->pages({.collection = collection, .limit = 10'000}).value().pages;
    for (const StoredPage& stored : pages) urls.push_back(stored.facts.url);
    std::ranges::sort(urls);
    return urls;
}

using Urls = std::vector<std::string>;

}  // namespace

TEST_CASE_TEMPLATE("pages that are written are stored, and wait to be indexed", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;

    const PagesWritten written =
        backend.store->write_pages({.collection = "notes", .pages = {page(1), page(2)}}).value();

    CHECK(written.added == 2);
    CHECK(urls(backend, "notes") == Urls{"https://a.example/1", "https://a.example/2"});
    const auto changes = index_all(backend);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].collection == "notes");
    CHECK_FALSE(changes[0].group);
}

TEST_CASE_TEMPLATE("a page written again in the same words changes nothing", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1), page(2)}}));
    index_all(backend);

    const PagesWritten written =
        backend.store->write_pages({.pages = {page(1), page(2, "others"), page(3)}}).value();

    CHECK(written.added == 1);
    CHECK(written.changed == 1);
    CHECK(written.unchanged == 1);
    CHECK(index_all(backend).size() == 2);
    CHECK(backend.reader->page("default", {1, 2}).value()->content->markdown == "others");
}

TEST_CASE_TEMPLATE("pages can be written without being indexed", Backend, TRANSACTIONAL_STORES) {
    Backend backend;

    REQUIRE(backend.store->write_pages({.index_pages = false, .pages = {page(1)}}));

    CHECK(index_all(backend).empty());
    CHECK(urls(backend).size() == 1);
}

TEST_CASE_TEMPLATE("a page without words must be known", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1)}}));
    PageWrite known = page(1), unknown = page(2);
    known.content.reset();
    unknown.content.reset();

    CHECK(backend.store->write_pages({.pages = {known}}).value().unchanged == 1);
    CHECK(backend.store->write_pages({.pages = {page(3), unknown}}).error().code ==
          ErrorCode::invalid_argument);
    CHECK(urls(backend).size() == 1);
    CHECK(backend.store->write_pages({.collection = "#1", .pages = {page(1)}}).error().code ==
          ErrorCode::invalid_argument);
}

TEST_CASE_TEMPLATE("a large batch of pages is written whole", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    PageBatch batch;
    for (std::uint64_t key = 0; key < 1'000; ++key) batch.pages.push_back(page(key));

    CHECK(backend.store->write_pages(batch).value().added == 1'000);
    CHECK(backend.store->write_pages(batch).value().unchanged == 1'000);
    CHECK(backend.reader->outbox_counts("default", {}).value().pending == 1'000);
}

TEST_CASE_TEMPLATE("what is forgotten is found by what the filter says", Backend, TRANSACTIONAL_STORES) {
    struct Row {
        PageFilter filter;
        Urls left;
        const char* why;
    };
    const std::string a = "https://a.example/x", b = "https://docs.a.example:8080/guide/1",
                      c = "https://nota.example/guide/2", d = "file:///home/me/guide/3.md";
    const std::vector<Row> rows = {
        {{.host = "a.example"}, {d, c}, "a host with its subdomains, whatever the port"},
        {{.host = "docs.a.example"}, {d, a, c}, "a subdomain alone"},
        {{.host = "docs.a.example:8080"}, {d, a, c}, "a port that is right"},
        {{.host = "docs.a.example:80"}, {d, a, b, c}, "a port that is not"},
        {{.path_prefix = "/guide/"}, {d, a}, "a path on any host"},
        {{.host = "a.example", .path_prefix = "/guide/"}, {d, a, c}, "every field narrows"},
        {{.path_prefix = "/home/me/"}, {a, b, c}, "a folder"},
        {{.urls = {c, a, "https://unknown.example/"}}, {d, b}, "URLs in any order"},
        {{.keys = {{1, 3}, {1, 1}}}, {d, b}, "keys, in any collection"},
        {{.collection = "docs", .keys = {{1, 3}, {1, 1}}}, {d, b, c}, "keys in one collection"},
        {{.collection = "docs"}, {c}, "a collection"},
        {{.site = "home"}, {a, b, c}, "a site"},
        {{.collection = "other", .site = "home"}, {d, a, b, c}, "nothing"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Backend backend;
        REQUIRE(backend.store->write_pages(
            {.collection = "docs", .pages = {page(1, "words", a), page(2, "words", b)}}));
        REQUIRE(backend.store->write_pages({.collection = "other", .pages = {page(3, "words", c)}}));
        REQUIRE(backend.store->write_pages(
            {.collection = "docs", .site = "home", .pages = {page(4, "words", d)}}));
        index_all(backend);

        const std::int64_t forgotten = backend.store->forget(row.filter).value();

        CHECK(urls(backend) == row.left);
        CHECK(forgotten == 4 - std::ssize(row.left));
        const auto changes = index_all(backend);
        CHECK(std::ssize(changes) == forgotten);
        CHECK(std::ranges::none_of(changes, [](const auto& change) { return change.content.has_value(); }));
    }
}

TEST_CASE_TEMPLATE("what pages take is known: each version that is kept, and nothing that is gone", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    // Words that do not shrink to nothing when they are packed.
    std::string words, others;
    for (int number = 0; number < 1'000; ++number) {
        words += std::to_string(number * 7'919 % 10'007) + " ";
        others += std::to_string(number * 7'907 % 10'009) + " ";
    }
    const auto stored = [&](std::vector<std::string> collections) {
        return backend.reader->stored_bytes(collections).value();
    };
    CHECK(stored({"default"}) == 0);

    crawled(backend, {.site = "a.example"}, {page(1, words)});
    const std::int64_t one = stored({"default"});
    CHECK(one > 1'000);
    CHECK(one < 10'000);
    const GroupId second = crawled(backend, {.site = "a.example"}, {page(1, others)});
    const std::int64_t both = stored({"default"});
    CHECK(both > one + 1'000);
    CHECK(stored({"notes"}) == 0);
    CHECK(stored({}) == 0);
    std::vector<std::string> many(2'000, "none");
    many.push_back("default");
    CHECK(stored(many) == both);
    REQUIRE(backend.store->write_pages({.collection = "notes", .pages = {page(1, words)}}));
    CHECK(stored({"default", "notes"}) > both + 1'000);
    CHECK(stored({"default"}) == both);
    const GroupId secret = crawled(backend, {.zero_retention = true}, {page(2, words)});
    CHECK(stored({private_collection(secret)}) > 1'000);

    CHECK(backend.store->forget({.group = second}).value() == 1);
    CHECK(stored({"default"}) == 0);
}

TEST_CASE_TEMPLATE("an empty filter forgets nothing", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1)}}));

    CHECK(backend.store->forget({}).error().code == ErrorCode::invalid_argument);
    CHECK(urls(backend).size() == 1);
}

TEST_CASE_TEMPLATE("what crawls brought of a forgotten page is gone too", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId first = crawled(backend, {.site = "a.example"}, {page(1, "old secret"), page(2, "stays")});
    const ContentId old =
        backend.reader->urls({.group = first, .states = {UrlState::completed}}).value().at(0).content.value();
    const GroupId second = crawled(backend, {.site = "a.example"}, {page(1, "new secret")});
    index_all(backend);

    CHECK(backend.store->forget({.urls = {"https://a.example/1"}}).value() == 1);

    CHECK(backend.reader->pages({.group = first}).value().pages.size() == 1);
    CHECK(backend.reader->pages({.group = second}).value().pages.empty());
    CHECK(backend.reader->page_versions(std::vector{old}).value().empty());
    CHECK_FALSE(backend.reader->page("default", {1, 1}).value());
    CHECK(backend.reader->page("default", {1, 2}).value()->content->markdown == "stays");
}

TEST_CASE_TEMPLATE("a crawl's pages are forgotten with it, also those that the site has no more", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId first = crawled(backend, {.site = "a.example"}, {page(1), page(2)});
    const GroupId later =
        backend.store
            ->add_group({.site = "a.example"}, {},
                        {{.url = "https://a.example/1", .key = {1, 1}, .host = "a.example"}})
            .value();
    backend.finish(backend.lease_urls(1).at(0).lease,
                   {.end = Failed{"gone"}, .status = 404, .gone = {{1, 1}}});
    CHECK(backend.group(later).counters.removed == 1);

    CHECK(backend.store->forget({.group = first}).value() == 1);

    CHECK(backend.reader->pages({.group = first}).value().pages.empty());
    CHECK(urls(backend).empty());
}

TEST_CASE_TEMPLATE("a page that was never indexed is forgotten without a word to the index", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.index_pages = false, .pages = {page(1)}}));

    CHECK(backend.store->forget({.keys = {{1, 1}}}).value() == 1);
    CHECK(index_all(backend).empty());
}

TEST_CASE_TEMPLATE("a page that was only stored is indexed once somebody who wants that brings it unchanged",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.index_pages = false, .pages = {page(1)}}));
    crawled(backend, {.index_pages = false}, {page(2)});
    REQUIRE(index_all(backend).empty());

    CHECK(backend.store->write_pages({.pages = {page(1)}}).value().unchanged == 1);
    crawled(backend, {}, {page(2)});

    CHECK(index_all(backend).size() == 2);
    CHECK(backend.store->write_pages({.pages = {page(1)}}).value().unchanged == 1);
    crawled(backend, {}, {page(2)});
    CHECK(index_all(backend).empty());
}

TEST_CASE_TEMPLATE("many pages are forgotten, and many indexed again", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    PageBatch batch{.collection = "docs", .site = "home"};
    for (std::uint64_t key = 0; key < 1'200; ++key) batch.pages.push_back(page(key));
    REQUIRE(backend.store->write_pages(batch));
    batch.collection = "other";
    REQUIRE(backend.store->write_pages(batch));
    while (!index_all(backend).empty()) {
    }

    CHECK(backend.store->index_again({.collection = "docs"}).value() == 1'200);
    CHECK(backend.store->index_again({.site = "home"}).value() == 1'200);
    CHECK(backend.store->index_again({}).value() == 0);
    CHECK(backend.store->forget({.collection = "docs"}).value() == 1'200);
    CHECK(backend.store->forget({.site = "home"}).value() == 1'200);
    CHECK(urls(backend).empty());
}

TEST_CASE_TEMPLATE("a page is indexed again as a new version, unless it waits already", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1), page(2)}}));
    const ChangeLease first = backend.lease_for({.changes = 1}).changes.at(0);
    backend.finish(first.lease);

    CHECK(backend.store->index_again({.collection = "default"}).value() == 1);

    const auto again = index_all(backend);
    REQUIRE(again.size() == 2);
    CHECK(again[1].page == first.page);
    CHECK(again[1].version > first.version);
    CHECK(again[1].content == first.content);
}

TEST_CASE_TEMPLATE("a page that is being indexed is indexed once more, after that", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1)}}));
    const ChangeLease running = backend.lease_for({.changes = 1}).changes.at(0);

    CHECK(backend.store->index_again({}).value() == 1);

    CHECK(backend.lease_for({.changes = 1}).changes.empty());
    backend.finish(running.lease);
    CHECK(backend.lease_for({.changes = 1}).changes.at(0).version > running.version);
}

TEST_CASE_TEMPLATE("a failed change gets another chance when its page is indexed again", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->write_pages({.pages = {page(1)}}));
    backend.finish(backend.lease_for({.changes = 1}).changes.at(0).lease, {.end = Failed{"no"}});

    CHECK(backend.store->index_again({.urls = {"https://a.example/1"}}).value() == 1);

    CHECK(backend.reader->outbox_counts("", {}).value().failed == 0);
    CHECK(index_all(backend).size() == 1);
}

TEST_CASE_TEMPLATE("a crawl that was kept out of the index is indexed when that is asked for", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawled(backend, {.index_pages = false}, {page(1), page(2)});
    REQUIRE(index_all(backend).empty());
    CHECK(backend.store->index_again({}).value() == 0);

    CHECK(backend.store->index_again({.group = group}).value() == 2);

    const auto changes = index_all(backend);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].group == group);
    CHECK(backend.group(group).counters.indexed == 2);
    CHECK(backend.group(group).index_pages);
    CHECK(backend.store->index_again({.group = group}).value() == 2);
    index_all(backend);
    CHECK(backend.group(group).counters.indexed == 2);
    CHECK(backend.store->index_again({.group = GroupId{999}}).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("a crawl that is told to index while it runs does so from then on", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group =
        backend.store
            ->add_group({.index_pages = false}, {},
                        {{.url = "https://a.example/1", .key = {1, 1}, .host = "a.example"},
                         {.url = "https://a.example/2", .key = {1, 2}, .host = "a.example"}})
            .value();
    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200, .pages = {page(1)}});

    CHECK(backend.store->index_again({.group = group}).value() == 1);

    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200, .pages = {page(2)}});
    CHECK(index_all(backend).size() == 2);
}

TEST_CASE_TEMPLATE("pages of a crawl without retention are never indexed", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawled(backend, {.zero_retention = true}, {page(1)});

    CHECK(backend.store->index_again({.group = group}).value() == 0);
    CHECK(backend.store->index_again({}).value() == 0);
    CHECK(backend.reader->collections().value().empty());
    CHECK(backend.store->forget({.path_prefix = "/"}).value() == 0);
    CHECK(backend.store->forget({.group = group}).value() == 1);
    CHECK(index_all(backend).empty());
}

TEST_CASE_TEMPLATE("a group that is over is erased with its pages, and no other is", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId other = crawled(backend, {.zero_retention = true}, {page(1)});
    const GroupId group = crawled(backend, {.zero_retention = true}, {page(1), page(2)});

    CHECK(backend.store->erase(group).has_value());

    CHECK(backend.reader->group(group).error().code == ErrorCode::not_found);
    CHECK(backend.reader->urls({.group = group}).value().empty());
    CHECK(backend.reader->pages({.group = group}).value().pages.empty());
    CHECK(backend.reader->pages({.group = other}).value().pages.size() == 1);
    CHECK(backend.store->erase(group).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("a group that is not over is not erased", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const std::vector<FoundUrl> seeds{{.url = "https://a.example/1", .key = {1, 1}, .host = "a.example"}};
    const GroupId group = backend.store->add_group({}, {}, seeds).value();

    CHECK(backend.store->erase(group).error().code == ErrorCode::conflict);

    CHECK(backend.reader->group(group).has_value());
    REQUIRE(backend.store->cancel(group));
    CHECK(backend.store->erase(group).has_value());
}

TEST_CASE_TEMPLATE("a collection remembers its embedder, and the pages in it are counted", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const EmbedderFacts builtin{.provider = "builtin"};
    const EmbedderFacts tei{.provider = "tei", .model = "bge", .dimensions = 768, .version = "sha"};
    REQUIRE(backend.store->set_collection({.name = "docs", .embedder = builtin}));
    const Timestamp created_at = backend.clock.now();
    backend.clock.advance(1h);
    REQUIRE(backend.store->set_collection({.name = "docs", .embedder = tei}));
    REQUIRE(backend.store->write_pages({.collection = "notes", .pages = {page(1), page(2)}}));
    backend.restart();

    const auto collections = backend.reader->collections().value();

    REQUIRE(collections.size() == 2);
    CHECK(collections[0].name == "docs");
    CHECK(collections[0].embedder == tei);
    CHECK(collections[0].created_at == created_at);
    CHECK(collections[0].pages == 0);
    CHECK(collections[1].name == "notes");
    CHECK(collections[1].embedder == EmbedderFacts{});
    CHECK(collections[1].pages == 2);
    CHECK(backend.reader->collection("docs").value()->embedder == tei);
    CHECK(backend.reader->collection("notes").value()->pages == 2);
    CHECK_FALSE(backend.reader->collection("nothing").value());
}

TEST_CASE_TEMPLATE("a collection is removed with its pages", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    REQUIRE(backend.store->set_collection({.name = "docs"}));
    REQUIRE(backend.store->write_pages({.collection = "docs", .pages = {page(1)}}));
    REQUIRE(backend.store->write_pages({.collection = "notes", .pages = {page(1)}}));
    index_all(backend);

    CHECK(backend.store->remove_collection("docs").value());
    CHECK_FALSE(backend.store->remove_collection("docs").value());

    CHECK(backend.reader->collections().value().size() == 1);
    CHECK(index_all(backend).size() == 1);
    CHECK(backend.store->set_collection({.name = "#3"}).error().code == ErrorCode::invalid_argument);
    CHECK(backend.store->remove_collection("").error().code == ErrorCode::invalid_argument);
}

}  // namespace quarry::store::promises
