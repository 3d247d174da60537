// What every store promises about the order of work, and about the limits of owners and of the queue.
#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

std::vector<std::string> payloads(const std::vector<JobLease>& leased) {
    std::vector<std::string> all;
    for (const JobLease& lease : leased) all.push_back(lease.payload);
    return all;
}

using Order = std::vector<std::string>;

}  // namespace

TEST_CASE_TEMPLATE("the smaller priority number runs first, and the older within it", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work", .payload = "low", .priority = priority_low});
    backend.add({.kind = "work", .payload = "normal 1"});
    backend.add({.kind = "work", .payload = "high", .priority = priority_high});
    backend.add({.kind = "work", .payload = "normal 2"});

    CHECK(payloads(backend.lease(4)) == Order{"high", "normal 1", "normal 2", "low"});
}

TEST_CASE_TEMPLATE("a low priority is delayed, never starved", Backend, EVERY_STORE) {
    Backend backend;
    const JobId low = backend.add({.kind = "work", .priority = priority_low});
    bool was_leased = false;
    for (int count = 0; count < 32 && !was_leased; ++count) {
        backend.add({.kind = "work", .priority = priority_high});
        backend.add({.kind = "work", .priority = priority_high});
        was_leased = backend.lease(1).at(0).lease.id == low;
    }

    CHECK(was_leased);
}

TEST_CASE_TEMPLATE("owners take turns, however much one of them has queued", Backend, EVERY_STORE) {
    Backend backend;
    for (int count = 0; count < 5; ++count) backend.add({.kind = "work", .payload = "ann", .owner = "ann"});
    backend.add({.kind = "work", .payload = "bob", .owner = "bob"});
    backend.add({.kind = "work", .payload = "bob", .owner = "bob"});

    CHECK(payloads(backend.lease(5)) == Order{"ann", "bob", "ann", "bob", "ann"});
}

TEST_CASE_TEMPLATE("groups of one owner take turns", Backend, EVERY_STORE) {
    Backend backend;
    const NewJob first{.kind = "work", .payload = "first"};
    const NewJob second{.kind = "work", .payload = "second"};
    REQUIRE(backend.store->add_group({}, {first, first, first}, {}));
    REQUIRE(backend.store->add_group({}, {second, second}, {}));

    CHECK(payloads(backend.lease(5)) == Order{"first", "second", "first", "second", "first"});
}

TEST_CASE_TEMPLATE("an owner at its limit is passed over, and its jobs run when it has room", Backend,
                   EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.running_jobs = 2}));
    for (int count = 0; count < 3; ++count) backend.add({.kind = "work", .payload = "ann", .owner = "ann"});
    backend.add({.kind = "work", .payload = "bob", .owner = "bob"});

    const auto leased = backend.lease(10);
    CHECK(payloads(leased) == Order{"ann", "bob", "ann"});

    backend.finish(leased[0].lease);
    CHECK(payloads(backend.lease(10)) == Order{"ann"});
}

TEST_CASE_TEMPLATE("limits of an owner survive a restart", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.running_jobs = 1}));
    REQUIRE(backend.store->set_limits("bob", {.running_jobs = 0}));
    for (int count = 0; count < 3; ++count) backend.add({.kind = "work", .owner = "ann"});
    for (int count = 0; count < 3; ++count) backend.add({.kind = "work", .owner = "bob"});

    backend.restart();

    const auto leased = backend.lease(10);
    REQUIRE(leased.size() == 1);
    CHECK(leased[0].owner == "ann");
}

TEST_CASE_TEMPLATE("a raised limit lets waiting jobs run at once", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.running_jobs = 0}));
    backend.add({.kind = "work", .owner = "ann"});
    CHECK(backend.lease(1).empty());

    REQUIRE(backend.store->set_limits("ann", {.running_jobs = 1}));

    CHECK(backend.lease(1).size() == 1);
}

TEST_CASE_TEMPLATE("an owner with too many open jobs is refused in a sentence, and nothing is added", Backend,
                   EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.open_jobs = 2}));
    const NewJob job{.kind = "work", .owner = "ann"};
    backend.add(job);

    const auto refused = backend.store->add({job, job});

    CHECK(refused.error().code == ErrorCode::conflict);
    CHECK(refused.error().message.find("ann has 1 open jobs and may have 2") != std::string::npos);
    CHECK(backend.lease(10).size() == 1);
    CHECK(backend.store->add({job}));
}

TEST_CASE_TEMPLATE("a queue that is full takes no more, whoever asks", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.max_open_jobs = 2});
    backend.add({.kind = "work", .owner = "ann"});
    backend.add({.kind = "work", .owner = "bob"});

    CHECK(backend.store->add({{.kind = "work", .owner = "eve"}}).error().code == ErrorCode::conflict);

    backend.finish(backend.lease(1).at(0).lease);
    CHECK(backend.store->add({{.kind = "work", .owner = "eve"}}));
}

TEST_CASE_TEMPLATE("a job whose unique key is taken counts for no limit", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.max_open_jobs = 1});
    backend.add({.kind = "work", .unique_key = "a"});

    CHECK(backend.store->add({{.kind = "work", .unique_key = "a"}}).value().at(0).existed);
}

TEST_CASE_TEMPLATE("a reprioritised job changes its place in line", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work", .payload = "first"});
    const JobId second = backend.add({.kind = "work", .payload = "second"});

    CHECK(backend.store->reprioritise({.ids = {second}}, priority_high).value() == 1);

    CHECK(payloads(backend.lease(3)) == Order{"second", "first"});
}

TEST_CASE_TEMPLATE("a reprioritised group takes its jobs with it", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work", .payload = "single"});
    const GroupId group =
        backend.store->add_group({}, {{.kind = "work", .payload = "of the group"}}, {}).value();

    REQUIRE(backend.store->reprioritise(group, priority_high));

    CHECK(payloads(backend.lease(5)) == Order{"of the group", "single"});
    CHECK(backend.group(group).priority == priority_high);
}

TEST_CASE_TEMPLATE("a job that ran while its group was reprioritised is not lost when it is tried again",
                   Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const auto running = backend.lease(1).at(0);
    REQUIRE(backend.store->reprioritise(group, priority_low));

    backend.finish(running.lease, {.end = Retry{"broken", backend.clock.now()}});

    CHECK(backend.lease(1).size() == 1);
}

TEST_CASE_TEMPLATE("crawls take turns by URLs, and the more urgent one goes first", Backend, EVERY_STORE) {
    Backend backend;
    const auto seed = [&](const std::string& host, int priority) {
        std::vector<FoundUrl> urls;
        for (std::uint64_t key = 1; key <= 20; ++key) {
            urls.push_back({.url = "https://" + host + "/", .key = {1, key}, .host = host});
        }
        return backend.store->add_group({.priority = priority}, {}, urls).value();
    };
    const GroupId normal = seed("a.example", priority_normal);
    const GroupId urgent = seed("b.example", priority_high);

    const auto leased = backend.lease_urls(40);

    REQUIRE(leased.size() == 40);
    CHECK(leased.front().group == urgent);
    CHECK(leased.back().group == normal);
}

}  // namespace quarry::store::promises
