// What transactional stores promise beyond the others: a page, its links, its change for the index and the
// end of its URL are one commit, and counters equal rows.
#include "store/rows/pages.h"

#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

FoundUrl url(std::uint64_t key) {
    return {.url = "https://a.example/" + std::to_string(key), .key = {1, key}, .host = "a.example"};
}

PageWrite page(const UrlLease& lease, const std::string& words) {
    return {.key = lease.key,
            .facts = {.url = lease.url,
                      .final_url = lease.url,
                      .status = 200,
                      .etag = "\"" + words + "\"",
                      .content_hash = std::hash<std::string>{}(words),
                      .body_bytes = 100,
                      .fetched_at = Timestamp(1s)},
            .content = pack({.markdown = words, .details = "{}"}).value()};
}

GroupId crawl(Backend& backend, std::vector<FoundUrl> seeds) {
    return backend.store->add_group({.site = "a.example"}, {}, std::move(seeds)).value();
}

std::int64_t in_state(Backend& backend, GroupId group, UrlState state) {
    return static_cast<std::int64_t>(
        backend.reader->urls({.group = group, .states = {state}, .limit = 1'000}).value().size());
}

}  // namespace

TEST_CASE_TEMPLATE("a page is there when its URL is completed", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1)});
    const auto leased = backend.lease_urls(1).at(0);

    backend.finish(leased.lease, {.status = 200, .pages = {page(leased, "hello")}});

    const auto stored = backend.reader->pages({.group = group}).value().pages;
    REQUIRE(stored.size() == 1);
    CHECK(stored[0].facts.url == "https://a.example/1");
    CHECK(backend.group(group).counters.bytes == 100);
    CHECK(backend.reader->urls({.group = group}).value().at(0).content == stored[0].content_id);
}

TEST_CASE_TEMPLATE("pictures of a page are there as long as a crawl that brought them, its words for longer",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1)});
    const auto leased = backend.lease_urls(1).at(0);
    PageWrite write = page(leased, "hello");
    write.content->media = std::string("\0picture", 8);

    backend.finish(leased.lease, {.status = 200, .pages = {write}});

    const ContentId version = backend.reader->pages({.group = group}).value().pages.at(0).content_id;
    CHECK(backend.reader->media(version).value() == write.content->media);
    CHECK(backend.reader->media(ContentId{999'999}).value().empty());

    backend.clock.advance(24h * 31);
    CHECK(backend.store->sweep({}, 10s).value().groups == 1);

    CHECK(backend.reader->media(version).value().empty());
    CHECK(backend.reader->page("default", leased.key).value()->content->markdown == "hello");
}

TEST_CASE_TEMPLATE("an outcome whose lease is lost leaves nothing behind", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1)});
    const auto lost = backend.lease_urls(1).at(0);
    backend.clock.advance(61s);
    const auto rescued = backend.lease_urls(1, "second").at(0);

    CHECK(backend.finish(lost.lease, {.pages = {page(lost, "late")},
                                      .found = {url(2)},
                                      .jobs = {{.kind = "work"}},
                                      .roots = {"https://b.example/"}}) == Verdict::conflict);

    CHECK(backend.reader->pages({.group = group}).value().pages.empty());
    CHECK(backend.group(group).counters.discovered == 1);
    CHECK(backend.group(group).roots.empty());
    CHECK(backend.lease(1).empty());
    CHECK(backend.finish(rescued.lease, {.pages = {page(rescued, "in time")}}) == Verdict::applied);
}

TEST_CASE_TEMPLATE("an outcome sent twice brings its page once", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1), url(2)});
    const auto leased = backend.lease_urls(1).at(0);
    const Outcome outcome{.status = 200, .pages = {page(leased, "hello")}, .found = {url(3)}};
    REQUIRE(backend.finish(leased.lease, outcome) == Verdict::applied);

    CHECK(backend.finish(leased.lease, outcome) == Verdict::already_applied);

    CHECK(backend.reader->pages({.group = group}).value().pages.size() == 1);
    CHECK(backend.group(group).counters.completed == 1);
    CHECK(backend.group(group).counters.discovered == 3);
}

TEST_CASE_TEMPLATE("a page known from an earlier crawl is handed out with its URL", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    crawl(backend, {url(1)});
    const auto first = backend.lease_urls(1).at(0);
    CHECK_FALSE(first.former);
    backend.finish(first.lease, {.status = 200, .pages = {page(first, "hello")}});

    const GroupId again = crawl(backend, {url(1)});
    const auto second = backend.lease_urls(1).at(0);

    REQUIRE(second.former);
    CHECK(second.former->etag == "\"hello\"");

    PageWrite same = page(second, "hello");
    same.content.reset();
    backend.finish(second.lease, {.status = 304, .pages = {same}});
    CHECK(backend.group(again).counters.unchanged == 1);
    CHECK(backend.reader->pages({.group = again}).value().pages.size() == 1);
}

TEST_CASE_TEMPLATE("a page that is gone is removed and counted", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    crawl(backend, {url(1)});
    const auto first = backend.lease_urls(1).at(0);
    backend.finish(first.lease, {.status = 200, .pages = {page(first, "hello")}});
    const GroupId again = crawl(backend, {url(1)});

    backend.finish(backend.lease_urls(1).at(0).lease,
                   {.end = Failed{"not found"}, .status = 404, .gone = {first.key}});

    CHECK(backend.group(again).counters.removed == 1);
    CHECK_FALSE(backend.reader->page("default", first.key).value());
}

TEST_CASE_TEMPLATE("a page said to be unchanged, of which nothing is stored any more, is fetched again",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1)});
    const auto leased = backend.lease_urls(1).at(0);
    PageWrite nothing = page(leased, "hello");
    nothing.content.reset();

    CHECK(backend.finish(leased.lease, {.status = 304, .pages = {nothing}}) == Verdict::applied);

    CHECK(backend.group(group).counters.queued == 1);
    const auto again = backend.lease_urls(1).at(0);
    CHECK(again.attempt == 2);
    CHECK_FALSE(again.former);
}

TEST_CASE_TEMPLATE("the page that one URL of a crawl brought is read by itself", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl(backend, {url(1), url(2), url(3)});
    const auto leased = backend.lease_urls(3);
    REQUIRE(leased.size() == 3);
    for (int index : {1, 0})
        backend.finish(leased[static_cast<std::size_t>(index)].lease,
                       {.status = 200, .pages = {page(leased[static_cast<std::size_t>(index)], "hello")}});

    const auto of = [&](const UrlLease& lease) {
        return backend.reader->pages({.group = group, .url = lease.lease.id}).value();
    };
    REQUIRE(of(leased[0]).pages.size() == 1);
    CHECK(of(leased[0]).pages[0].facts.url == leased[0].url);
    CHECK(of(leased[1]).pages.at(0).facts.url == leased[1].url);
    CHECK_FALSE(of(leased[1]).next);
    CHECK(of(leased[2]).pages.empty());
    CHECK(backend.reader->pages({.group = GroupId{999}, .url = leased[0].lease.id}).value().pages.empty());
}

TEST_CASE_TEMPLATE("a page that a group without a site fetches stays with the site it was found on", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    crawl(backend, {url(1)});
    const auto first = backend.lease_urls(1).at(0);
    backend.finish(first.lease, {.status = 200, .pages = {page(first, "old")}});
    backend.store->add_group({.kind = "rescrape"}, {}, {url(1)}).value();
    const auto again = backend.lease_urls(1).at(0);

    backend.finish(again.lease, {.status = 200, .pages = {page(again, "new")}});

    CHECK(backend.reader->groups({.kind = "rescrape"}).value().size() == 1);
    CHECK(backend.reader->groups({.kind = "crawl"}).value().size() == 1);
    CHECK(backend.store->forget({.site = "a.example"}).value() == 1);
}

TEST_CASE_TEMPLATE("counters equal rows at every step of a crawl", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    std::vector<FoundUrl> seeds;
    for (std::uint64_t key = 1; key <= 30; ++key) seeds.push_back(url(key));
    const GroupId group = crawl(backend, seeds);
    const auto check = [&] {
        const GroupCounters counters = backend.group(group).counters;
        CHECK(counters.queued == in_state(backend, group, UrlState::queued));
        CHECK(counters.running == in_state(backend, group, UrlState::running));
        CHECK(counters.completed == in_state(backend, group, UrlState::completed));
        CHECK(counters.failed == in_state(backend, group, UrlState::failed));
        CHECK(counters.skipped == in_state(backend, group, UrlState::skipped));
        CHECK(counters.discovered ==
              counters.queued + counters.running + counters.completed + counters.failed + counters.skipped);
    };
    const std::vector<decltype(Outcome::end)> ends = {
        Completed{}, Failed{"broken"}, Skipped{SkipReason::robots}, Retry{"again", backend.clock.now() + 1s},
        Snooze{backend.clock.now() + 1s}};
    for (int round = 0; round < 20 && !backend.group(group).is_over(); ++round) {
        const auto leased = backend.lease_urls(5);
        check();
        for (std::size_t index = 0; index < leased.size(); ++index) {
            backend.finish(leased[index].lease, {.end = ends[(index + static_cast<std::size_t>(round)) % 5]});
        }
        check();
        if (round == 5) backend.restart();
        backend.clock.advance(2s);
    }

    CHECK(backend.group(group).state == JobState::completed);
    check();
}

}  // namespace quarry::store::promises
