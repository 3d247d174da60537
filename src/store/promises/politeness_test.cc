// What every store promises about hosts and about crawls side by side.
#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

std::vector<FoundUrl> urls(std::uint64_t count, const std::string& host) {
    std::vector<FoundUrl> found;
    for (std::uint64_t key = 1; key <= count; ++key) {
        found.push_back(
            {.url = "https://" + host + "/" + std::to_string(key), .key = {1, key}, .host = host});
    }
    return found;
}

}  // namespace

TEST_CASE_TEMPLATE("a host keeps its limit of leased URLs across crawls", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({}, {}, urls(10, "a.example")));
    REQUIRE(backend.store->add_group({}, {}, urls(10, "a.example")));

    CHECK(backend.lease_for({.urls = 20, .urls_per_host = 3}).urls.size() == 3);
    CHECK(backend.lease_for({.urls = 20, .urls_per_host = 5}).urls.size() == 2);
}

TEST_CASE_TEMPLATE("a host of a dead worker is free for others", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({}, {}, urls(4, "a.example")));
    REQUIRE(backend.lease_urls(2).size() == 2);
    backend.clock.advance(61s);

    CHECK(backend.lease_urls(4, "second").size() == 4);
}

TEST_CASE_TEMPLATE("what a host asked for is told to each worker that begins with it, also after a restart",
                   Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({}, {}, urls(4, "a.example")));
    const Leased first = backend.lease_for({.urls = 1});
    CHECK(first.hosts.empty());
    backend.finish(first.urls.at(0).lease,
                   {.hosts = {{.host = "a.example", .connections = 2, .delay = 500ms}}});

    backend.restart();
    const Leased second = backend.lease_for({.urls = 1});

    REQUIRE(second.hosts.size() == 1);
    CHECK(second.hosts[0].host == "a.example");
    CHECK(second.hosts[0].connections == 2);
    CHECK(second.hosts[0].delay == 500ms);
    CHECK(backend.lease_for({.urls = 1}).hosts.empty());
}

TEST_CASE_TEMPLATE("a host that asked for patience is left alone after a restart too", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({}, {}, urls(2, "a.example")));
    backend.finish(backend.lease_urls(1).at(0).lease,
                   {.hosts = {{.host = "a.example", .not_before = backend.clock.now() + 1min}}});

    backend.restart();

    CHECK(backend.lease_urls(1).empty());
    backend.clock.advance(1min);
    CHECK(backend.lease_urls(1).size() == 1);
}

TEST_CASE_TEMPLATE("an owner at its limit gets no more URLs, and others do", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.running_jobs = 2}));
    REQUIRE(backend.store->add_group({.owner = "ann"}, {}, urls(5, "a.example")));
    REQUIRE(backend.store->add_group({.owner = "bob"}, {}, urls(5, "b.example")));

    const auto leased = backend.lease_urls(20);

    CHECK(leased.size() == 7);
}

TEST_CASE_TEMPLATE("the store says when a URL that failed will be tried again", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({}, {}, urls(1, "a.example")));
    const Timestamp later = backend.clock.now() + 30s;
    backend.finish(backend.lease_urls(1).at(0).lease, {.end = Retry{"timed out", later}});

    CHECK(backend.lease_for({.urls = 1}).next_due == later);

    backend.restart();
    CHECK(backend.lease_for({.urls = 1}).next_due == later);
    backend.clock.advance(30s);
    CHECK(backend.lease_urls(1).size() == 1);
}

TEST_CASE_TEMPLATE("a released URL keeps its place, and its crawl its counters", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {}, urls(3, "a.example")).value();
    const auto leased = backend.lease_urls(2);
    REQUIRE(backend.store->release({leased[0].lease, leased[1].lease}));

    CHECK(backend.group(group).counters.queued == 3);
    CHECK(backend.group(group).counters.running == 0);
    CHECK(backend.lease_urls(1).at(0).url == "https://a.example/1");
}

TEST_CASE_TEMPLATE("two owners' crawls get their URLs in turns", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add_group({.owner = "ann"}, {}, urls(100, "a.example")));
    REQUIRE(backend.store->add_group({.owner = "ann"}, {}, urls(100, "b.example")));
    REQUIRE(backend.store->add_group({.owner = "bob"}, {}, urls(100, "c.example")));

    std::map<std::string, int> hosts;
    for (const UrlLease& leased : backend.lease_for({.urls = 64, .urls_per_host = 64}).urls) {
        ++hosts[leased.host_name];
    }

    CHECK(hosts["a.example"] == 16);
    CHECK(hosts["b.example"] == 16);
    CHECK(hosts["c.example"] == 32);
}

}  // namespace quarry::store::promises
