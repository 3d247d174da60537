// How workers share the hosts of a crawl: each host is one worker's at a time.
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "servers/postgres.h"
#include "store/postgres/store.h"

namespace quarry::store {

namespace {

std::set<std::string> hosts_of(const std::vector<UrlLease>& urls) {
    std::set<std::string> hosts;
    for (const UrlLease& url : urls) hosts.insert(url.host_name);
    return hosts;
}

}  // namespace

TEST_CASE("a worker takes no more hosts than it can serve, and leaves the others to others") {
    test::Postgres* const server = test::Postgres::shared();
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    ManualClock clock;
    const auto store = open_postgres_store({.database = {.url = server->url(server->create_database())},
                                            .limits = {.low_disk_bytes = 0},
                                            .clock = &clock})
                           .value();
    std::vector<FoundUrl> urls;
    for (std::uint64_t number = 0; number < 40; ++number) {
        const std::string host = fmt::format("host{}.example", number % 8);
        urls.push_back({.url = fmt::format("https://{}/{}", host, number), .key = {1, number}, .host = host});
    }
    REQUIRE(store->add_group({}, {}, urls));
    const WorkerId one = store->register_worker("one").value(),
                   other = store->register_worker("other").value();

    const auto first = store->lease({.worker = one, .urls = 6, .new_hosts = 3}).value().urls;
    const auto rest = store->lease({.worker = other, .urls = 100, .new_hosts = 100}).value().urls;
    const auto more = store->lease({.worker = one, .urls = 100, .new_hosts = 0}).value().urls;

    CHECK(first.size() == 6);
    CHECK(hosts_of(first).size() == 3);
    CHECK(rest.size() == 25);
    CHECK(hosts_of(rest).size() == 5);
    CHECK(more.size() == 9);
    CHECK(hosts_of(more) == hosts_of(first));
}

TEST_CASE("a worker that comes first leaves others their share of what an owner may have under way") {
    test::Postgres* const server = test::Postgres::shared();
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const auto store = open_postgres_store({.database = {.url = server->url(server->create_database())},
                                            .limits = {.running_jobs_per_owner = 10, .low_disk_bytes = 0}})
                           .value();
    std::vector<FoundUrl> urls;
    for (std::uint64_t number = 0; number < 40; ++number) {
        const std::string host = fmt::format("host{}.example", number);
        urls.push_back({.url = fmt::format("https://{}/", host), .key = {1, number}, .host = host});
    }
    REQUIRE(store->add_group({}, {}, urls));
    const WorkerId one = store->register_worker("one").value(),
                   other = store->register_worker("other").value();

    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.size() == 5);
    CHECK(store->lease({.worker = other, .urls = 40}).value().urls.size() == 3);
    REQUIRE(store->retire_worker(other));
    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.size() == 5);
    CHECK(store->lease({.worker = one, .urls = 40}).value().urls.empty());
}

}  // namespace quarry::store
