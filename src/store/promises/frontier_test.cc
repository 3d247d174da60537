// What every store promises about a crawl's URLs.
#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

FoundUrl url(std::uint64_t key, const std::string& host = "a.example") {
    return {.url = "https://" + host + "/" + std::to_string(key), .key = {1, key}, .host = host};
}

std::vector<FoundUrl> urls(std::uint64_t first, std::uint64_t count, const std::string& host = "a.example") {
    std::vector<FoundUrl> found;
    for (std::uint64_t key = first; key < first + count; ++key) found.push_back(url(key, host));
    return found;
}

GroupId crawl(Backend& backend, std::vector<FoundUrl> seeds, NewGroup group = {}) {
    return backend.store->add_group(std::move(group), {}, std::move(seeds)).value();
}

}  // namespace

TEST_CASE_TEMPLATE("the seeds of a crawl are leased in the order of their priority, then of discovery",
                   Backend, EVERY_STORE) {
    Backend backend;
    auto seeds = urls(1, 3);
    seeds[2].priority = -1;
    crawl(backend, seeds);

    const auto leased = backend.lease_urls(10);

    REQUIRE(leased.size() == 3);
    CHECK(leased[0].url == "https://a.example/3");
    CHECK(leased[1].url == "https://a.example/1");
    CHECK(leased[2].url == "https://a.example/2");
    CHECK(leased[0].host_name == "a.example");
    CHECK(leased[0].key == UrlKey{1, 3});
}

TEST_CASE_TEMPLATE("a URL is admitted once per crawl, however often it is found", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 2));
    for (const UrlLease& leased : backend.lease_urls(10)) {
        backend.finish(leased.lease, {.found = urls(1, 4)});
    }

    CHECK(backend.group(group).counters.discovered == 4);
    CHECK(backend.lease_urls(10).size() == 2);
    CHECK(backend.store->knows(group, {1, 4}));
}

TEST_CASE_TEMPLATE("what a page without words links to is admitted, whether it failed or was left out",
                   Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 2));
    const auto leased = backend.lease_urls(2);

    backend.finish(
        leased.at(0).lease,
        {.end = Failed{"the page has no text", ErrorCode::not_found}, .status = 200, .found = urls(3, 1)});
    backend.finish(
        leased.at(1).lease,
        {.end = Skipped{SkipReason::empty, "the page has no text"}, .status = 200, .found = urls(4, 1)});

    CHECK(backend.lease_urls(10).size() == 2);
    CHECK(backend.group(group).counters.failed == 1);
    CHECK(backend.group(group).counters.skipped == 1);
    const auto left_out = backend.reader->urls({.group = group, .skipped = SkipReason::empty}).value();
    REQUIRE(left_out.size() == 1);
    CHECK(left_out.front().note == "the page has no text");
}

TEST_CASE_TEMPLATE("two crawls of one site each fetch it", Backend, EVERY_STORE) {
    Backend backend;
    crawl(backend, urls(1, 2));
    crawl(backend, urls(1, 2));

    CHECK(backend.lease_urls(10).size() == 4);
}

TEST_CASE_TEMPLATE("a crawl completes with its last URL, exactly then", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 2));
    const auto leased = backend.lease_urls(10);
    backend.finish(leased[0].lease, {.status = 200});
    CHECK(backend.group(group).state == JobState::running);

    backend.finish(leased[1].lease, {.end = Failed{"not found"}, .status = 404});

    const Group ended = backend.group(group);
    CHECK(ended.state == JobState::completed);
    CHECK(ended.counters.completed == 1);
    CHECK(ended.counters.failed == 1);
    CHECK(ended.counters.gone == 1);
    CHECK(ended.counters.queued == 0);
    CHECK(ended.counters.running == 0);
}

TEST_CASE_TEMPLATE("no more pages are leased than the crawl may have; the rest is skipped", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 10), {.page_limit = 3});
    const auto leased = backend.lease_urls(10);
    REQUIRE(leased.size() == 3);
    backend.finish(leased[0].lease, {.end = Failed{"broken"}});
    const auto instead = backend.lease_urls(10);
    REQUIRE(instead.size() == 1);

    backend.finish(leased[1].lease);
    backend.finish(leased[2].lease);
    backend.finish(instead[0].lease);

    const Group ended = backend.group(group);
    CHECK(ended.state == JobState::completed);
    CHECK(ended.counters.completed == 3);
    CHECK(ended.counters.skipped == 6);
    CHECK(ended.counters.queued == 0);
}

TEST_CASE_TEMPLATE("beyond the limit of URLs, what is found is only counted", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 3), {.url_limit = 2});

    CHECK(backend.group(group).counters.discovered == 2);
    CHECK(backend.group(group).counters.not_admitted == 1);
    CHECK(backend.lease_urls(10).size() == 2);
}

TEST_CASE_TEMPLATE("a worker gets no more of one host than it wants, and other hosts' URLs meanwhile",
                   Backend, EVERY_STORE) {
    Backend backend;
    auto seeds = urls(1, 10, "slow.example");
    seeds.push_back(url(11, "fast.example"));
    crawl(backend, seeds);

    const Leased leased = backend.lease_for({.urls = 10, .urls_per_host = 2});

    CHECK(leased.urls.size() == 3);
    const HostId slow = leased.urls[0].host;
    CHECK(backend.lease_for({.urls = 10, .urls_per_host = 5, .saturated = {slow}}).urls.empty());
    CHECK(backend.lease_for({.urls = 10, .urls_per_host = 5}).urls.size() == 3);
}

TEST_CASE_TEMPLATE("a worker that has enough of one crawl at a host gets other crawls' URLs there", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId slow = crawl(backend, urls(1, 10, "a.example"));
    const Leased first = backend.lease_for({.urls = 10, .urls_per_host = 2});
    REQUIRE(first.urls.size() == 2);
    const GroupId other = crawl(backend, urls(1, 3, "a.example"));

    const Leased more =
        backend.lease_for({.urls = 10, .urls_per_host = 12, .saturated_lanes = {{slow, first.urls[0].host}}});

    CHECK(more.urls.size() == 3);
    for (const UrlLease& leased : more.urls) CHECK(leased.group == other);
}

TEST_CASE_TEMPLATE("a host belongs to one worker while that holds URLs of it", Backend, EVERY_STORE) {
    Backend backend;
    crawl(backend, urls(1, 4));
    const auto leased = backend.lease_urls(2);

    CHECK(backend.lease_urls(2, "second").empty());

    for (const UrlLease& one : leased) backend.finish(one.lease);
    CHECK(backend.lease_urls(2, "second").size() == 2);
}

TEST_CASE_TEMPLATE("a host that asked for patience is left alone until its time", Backend, EVERY_STORE) {
    Backend backend;
    crawl(backend, urls(1, 2));
    const auto leased = backend.lease_urls(1).at(0);
    const Timestamp later = backend.clock.now() + 1min;
    backend.finish(leased.lease, {.hosts = {{.host = "a.example", .connections = 1, .not_before = later}}});

    const Leased early = backend.lease_for({.urls = 5});
    CHECK(early.urls.empty());
    CHECK(early.next_due == later);

    backend.clock.advance(1min);
    const Leased then = backend.lease_for({.urls = 5});
    CHECK(then.urls.size() == 1);
    REQUIRE(then.hosts.size() == 1);
    CHECK(then.hosts[0].connections == 1);
}

TEST_CASE_TEMPLATE("a URL is tried again when its time has come, and given up in the end", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 1));
    for (int attempt = 1; attempt <= 3; ++attempt) {
        const auto leased = backend.lease_urls(1).at(0);
        CHECK(leased.attempt == attempt);
        backend.finish(leased.lease, {.end = Retry{"timed out", backend.clock.now() + 5s}});
        CHECK(backend.lease_urls(1).empty());
        backend.clock.advance(5s);
    }

    CHECK(backend.group(group).counters.failed == 1);
    CHECK(backend.group(group).state == JobState::completed);
}

TEST_CASE_TEMPLATE("thousands of URLs of one host come in order though memory holds a window", Backend,
                   EVERY_STORE) {
    Backend backend;
    crawl(backend, urls(1, 2'000), {.page_limit = 5'000});
    std::vector<std::string> seen;
    while (true) {
        const Leased leased = backend.lease_for({.urls = 100, .urls_per_host = 100});
        if (leased.urls.empty()) break;
        std::vector<Finished> finished;
        for (const UrlLease& one : leased.urls) {
            seen.push_back(one.url);
            finished.push_back({one.lease, {}});
        }
        REQUIRE(backend.store->finish(std::move(finished)));
    }

    REQUIRE(seen.size() == 2'000);
    CHECK(seen[0] == "https://a.example/1");
    CHECK(seen[1'999] == "https://a.example/2000");
}

TEST_CASE_TEMPLATE("a page that says it is another one, which the crawl knows, is skipped", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 2));
    const auto leased = backend.lease_urls(10);

    backend.finish(leased[0].lease, {.canonical = UrlKey{1, 9}});
    backend.finish(leased[1].lease, {.found = {url(9)}, .canonical = UrlKey{1, 9}});

    const Group ended = backend.group(group);
    CHECK(ended.counters.completed == 1);
    CHECK(ended.counters.skipped == 1);
    CHECK(ended.counters.discovered == 2);
    CHECK(ended.state == JobState::completed);
}

TEST_CASE_TEMPLATE("a page that says it is itself is kept", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 1));

    backend.finish(backend.lease_urls(1).at(0).lease, {.canonical = UrlKey{1, 1}});

    CHECK(backend.group(group).counters.completed == 1);
}

TEST_CASE_TEMPLATE("what a crawl has found and fetched survives a restart", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = crawl(backend, urls(1, 500), {.page_limit = 1'000});
    for (const UrlLease& leased : backend.lease_urls(50)) backend.finish(leased.lease);
    const auto under_way = backend.lease_urls(10);
    REQUIRE(under_way.size() == 10);

    backend.restart();

    CHECK(backend.group(group).counters.completed == 50);
    CHECK(backend.group(group).counters.queued == 450);
    CHECK(backend.group(group).counters.running == 0);
    CHECK(backend.finish(under_way[0].lease) == Verdict::conflict);
    CHECK(backend.lease_for({.urls = 1'000, .urls_per_host = 1'000}).urls.size() == 450);
}

}  // namespace quarry::store::promises
