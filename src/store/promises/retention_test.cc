// What all stores promise about how long groups and their pages are kept.
#include <set>
#include <string>

#include "store/promises/backend.h"
#include "store/rows/pages.h"

namespace quarry::store::promises {

namespace {

FoundUrl url(std::uint64_t key) {
    return {.url = "https://a.example/" + std::to_string(key), .key = {1, key}, .host = "a.example"};
}

// A group that a client asked for over an API: it goes an hour after it completed, or six hours after it
// failed.
NewGroup scrape() {
    return {.kind = "scrape",
            .collection = "scrapes",
            .concurrency = Concurrency::unlimited,
            .index_pages = false,
            .keeping = Keeping{1h, 6h},
            .page_keeping = PageKeeping::cached};
}

NewGroup crawl(bool index_pages) {
    return {
        .index_pages = index_pages, .keeping = Keeping{24h, 24h}, .page_keeping = PageKeeping::with_group};
}

// Fetches the page of the group. `hash` stands for its words.
GroupId fetch(Backend& backend, NewGroup group, Outcome::End end = Completed{}, std::uint64_t hash = 1) {
    const GroupId id = backend.store->add_group(std::move(group), {}, {url(1)}).value();
    const UrlLease lease = backend.lease_urls(1).at(0);
    Outcome outcome{.end = end, .status = 200};
    if (std::holds_alternative<Completed>(end))
        outcome.pages = {{.key = lease.key,
                          .facts = {.url = lease.url,
                                    .final_url = lease.url,
                                    .status = 200,
                                    .content_hash = hash,
                                    .fetched_at = backend.clock.now()},
                          .content = pack({.markdown = "words", .details = "{}"}).value()}};
    REQUIRE(backend.finish(lease.lease, std::move(outcome)) == Verdict::applied);
    REQUIRE(backend.group(id).is_over());
    return id;
}

bool is_there(Backend& backend, GroupId group) {
    return backend.reader->group(group).has_value();
}

std::size_t pages_in(Backend& backend, const std::string& collection) {
    return backend.reader->pages({.collection = collection, .with_content = true}).value().pages.size();
}

void sweep(Backend& backend, const Retention& retention = {}) {
    REQUIRE(backend.store->sweep(retention, 10s));
}

}  // namespace

TEST_CASE_TEMPLATE("a group is kept as long as was promised when it began, whatever the store keeps others",
                   Backend, EVERY_STORE) {
    Backend backend;
    const GroupId done = fetch(backend, scrape());
    const GroupId failed = fetch(backend, scrape(), Failed{"no"});
    const GroupId others = fetch(backend, {});
    CHECK(backend.group(done).kept_for == 1h);
    CHECK(backend.group(failed).kept_for == 6h);
    CHECK_FALSE(backend.group(others).kept_for.has_value());

    backend.clock.advance(59min);
    sweep(backend);
    CHECK(is_there(backend, done));
    backend.clock.advance(2min);
    sweep(backend, {.groups = 2h});
    CHECK_FALSE(is_there(backend, done));
    CHECK(is_there(backend, failed));
    CHECK(is_there(backend, others));
    backend.clock.advance(5h);
    sweep(backend);
    CHECK_FALSE(is_there(backend, failed));
    CHECK(is_there(backend, others));
}

TEST_CASE_TEMPLATE("the promise counts from the end, and holds over a restart", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId open = backend.store->add_group(scrape(), {}, {url(1)}).value();
    backend.clock.advance(48h);
    sweep(backend);
    REQUIRE(is_there(backend, open));
    backend.finish(backend.lease_urls(1).at(0).lease, {.end = Failed{"no"}});
    backend.restart();

    backend.clock.advance(5h);
    sweep(backend);
    CHECK(is_there(backend, open));
    backend.clock.advance(2h);
    sweep(backend);
    CHECK_FALSE(is_there(backend, open));
}

TEST_CASE_TEMPLATE("a page that is only cached outlives its group, but not the cache", Backend, EVERY_STORE) {
    Backend backend;
    fetch(backend, scrape());

    backend.clock.advance(47h);
    sweep(backend);
    CHECK(pages_in(backend, "scrapes") == 1);
    fetch(backend, scrape());
    backend.clock.advance(47h);
    sweep(backend);
    CHECK(pages_in(backend, "scrapes") == 1);
    backend.clock.advance(2h);
    sweep(backend);

    CHECK(pages_in(backend, "scrapes") == 0);
}

TEST_CASE_TEMPLATE("a cached page stays as long as a group has it", Backend, EVERY_STORE) {
    Backend backend;
    NewGroup batch = scrape();
    batch.keeping = Keeping{100h, 100h};
    const GroupId group = fetch(backend, batch);

    backend.clock.advance(99h);
    sweep(backend);

    CHECK(pages_in(backend, "scrapes") == 1);
    CHECK(backend.reader->pages({.group = group, .with_content = true}).value().pages.size() == 1);
    backend.clock.advance(2h);
    sweep(backend);
    sweep(backend);
    CHECK(pages_in(backend, "scrapes") == 0);
}

TEST_CASE_TEMPLATE("pages of a crawl go with it unless they are indexed", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId unindexed = fetch(backend, crawl(false));
    NewGroup other = crawl(true);
    other.collection = "docs";
    const GroupId indexed = fetch(backend, other);

    backend.clock.advance(25h);
    sweep(backend);
    sweep(backend);

    CHECK_FALSE(is_there(backend, unindexed));
    CHECK_FALSE(is_there(backend, indexed));
    CHECK(pages_in(backend, "default") == 0);
    CHECK(pages_in(backend, "docs") == 1);
}

TEST_CASE_TEMPLATE("a page that was to be kept for good stays, whoever meets it later", Backend,
                   EVERY_STORE) {
    Backend backend;
    fetch(backend, {.index_pages = false});
    const GroupId changed = fetch(backend, crawl(false), Completed{}, 2);
    fetch(backend, crawl(false), Completed{}, 2);

    backend.clock.advance(25h);
    sweep(backend);

    CHECK_FALSE(is_there(backend, changed));
    CHECK(pages_in(backend, "default") == 1);
}

TEST_CASE_TEMPLATE("a page of a crawl stays once somebody wants to keep or to find it", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = fetch(backend, crawl(false));
    SUBCASE("by a crawl that keeps its pages") {
        fetch(backend, {.index_pages = false});
    }
    SUBCASE("by an import of the same words") {
        const PageWrite page{.key = {1, 1},
                             .facts = {.url = "https://a.example/1", .status = 200, .content_hash = 1},
                             .content = pack({.markdown = "words", .details = "{}"}).value()};
        REQUIRE(backend.store->write_pages({.index_pages = false, .pages = {page}}));
    }
    SUBCASE("by having it indexed") {
        CHECK(backend.store->index_again({.group = group}).value() == 1);
    }

    backend.clock.advance(25h);
    sweep(backend);

    CHECK_FALSE(is_there(backend, group));
    CHECK(pages_in(backend, "default") == 1);
}

TEST_CASE_TEMPLATE("what was done for a page is kept one by one, and then by day", Backend, EVERY_STORE) {
    Backend backend;
    const Timestamp day = Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 1 / 5));
    backend.clock.advance(day + 10h - backend.clock.now());
    const GroupId group = fetch(backend, {.request_id = "ab12"});
    const auto change = backend.lease_for({.changes = 1}).changes.at(0);
    const Timings timings{.chunk = 1'000us, .embed = 2'000us, .index = 3'000us, .words = 500us, .chunks = 4};
    backend.finish(change.lease, {.timings = timings});
    backend.clock.advance(25h);
    sweep(backend);  // the embedding queue has forgotten it

    const auto operations = backend.reader->operations({}).value();
    REQUIRE(operations.size() == 1);
    CHECK(operations[0].at == day + 10h);
    CHECK(operations[0].group == group);
    CHECK(operations[0].group_created_at == backend.group(group).created_at);
    CHECK(operations[0].job == change.lease.id);
    CHECK(operations[0].url == "https://a.example/1");
    CHECK(operations[0].request_id == "ab12");
    CHECK(operations[0].error.empty());
    CHECK(operations[0].timings == timings);
    CHECK(backend.reader->operations({.since = day + 11h}).value().empty());
    CHECK(backend.reader->operation_days(10).value().at(0).pages == 1);

    backend.clock.advance(31 * 24h);
    sweep(backend);

    CHECK(backend.reader->operations({}).value().empty());
    const auto days = backend.reader->operation_days(10).value();
    REQUIRE(days.size() == 1);
    CHECK(days[0].day == day);
    CHECK(days[0].collection == "default");
    CHECK(days[0].pages == 1);
    CHECK(days[0].failed == 0);
    CHECK(days[0].timings == timings);
}

TEST_CASE_TEMPLATE("sums by day know of today, and of those that failed", Backend, EVERY_STORE) {
    Backend backend;
    fetch(backend, scrape());
    fetch(backend, scrape(), Failed{"no such host"});
    fetch(backend, scrape(), Skipped{SkipReason::robots, "robots.txt forbids it"});

    const auto days = backend.reader->session_days(10).value();

    REQUIRE(days.size() == 1);
    CHECK(days[0].operation == "scrape");
    CHECK(days[0].sessions == 3);
    CHECK(days[0].successes == 1);
    CHECK(days[0].counts.completed_urls == 1);
    std::set<std::string> errors;
    const auto sessions = backend.reader->sessions({}).value();
    for (const Session& session : sessions)
        if (!session.success) errors.insert(session.error);
    CHECK(errors.size() == 2);
    CHECK(errors.contains("no such host"));
    CHECK(errors.contains("robots.txt forbids it"));
}

}  // namespace quarry::store::promises
