// What every store promises about leases, and about workers that die.
#include <algorithm>
#include <future>
#include <mutex>

#include "store/promises/backend.h"

namespace quarry::store::promises {

TEST_CASE_TEMPLATE("a job whose worker died is leased again, and the dead worker cannot complete it", Backend,
                   EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});
    const auto lost = backend.lease(1).at(0);
    backend.clock.advance(61s);

    const auto rescued = backend.lease(1, "second").at(0);

    CHECK(rescued.lease.id == lost.lease.id);
    CHECK(backend.finish(lost.lease) == Verdict::conflict);
    CHECK(backend.finish(rescued.lease) == Verdict::applied);
}

TEST_CASE_TEMPLATE("a worker that beats keeps its leases", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});
    const auto leased = backend.lease(1).at(0);
    for (int beat = 0; beat < 5; ++beat) {
        backend.clock.advance(50s);
        CHECK(backend.store->beat(backend.worker(), {}).value().empty());
    }

    CHECK(backend.lease(1, "second").empty());
    CHECK(backend.finish(leased.lease) == Verdict::applied);
}

TEST_CASE_TEMPLATE("what a worker held that has ended is leased again at once", Backend, EVERY_STORE) {
    Backend backend;
    const JobId begun = backend.add({.kind = "work"});
    backend.add({.kind = "work"});
    const auto lost = backend.lease(2);
    backend.store->begin(lost.at(0).lease);

    REQUIRE(backend.store->retire_worker(backend.worker()));
    const auto rescued = backend.lease(2, "second");

    REQUIRE(rescued.size() == 2);
    CHECK(backend.job(begun).stalls == 1);
    CHECK(backend.finish(lost.at(0).lease) == Verdict::conflict);
    CHECK(backend.finish(rescued.at(0).lease) == Verdict::applied);
    CHECK(backend.store->beat(backend.worker(), {}).error().code == ErrorCode::not_found);
    CHECK(backend.store->retire_worker(backend.worker()));
}

TEST_CASE_TEMPLATE("a lease that runs out counts as a stall only if its handler had begun", Backend,
                   EVERY_STORE) {
    Backend backend;
    const JobId begun = backend.add({.kind = "work"});
    const JobId waiting = backend.add({.kind = "work"});
    backend.store->begin(backend.lease(2).at(0).lease);
    backend.clock.advance(61s);

    CHECK(backend.lease(2, "second").size() == 2);

    CHECK(backend.job(begun).stalls == 1);
    CHECK(backend.job(waiting).stalls == 0);
    CHECK(backend.job(begun).attempts == 0);
}

TEST_CASE_TEMPLATE("a job that stalls too often fails", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.max_stalls = 2});
    const JobId id = backend.add({.kind = "work"});
    for (int stall = 0; stall < 3; ++stall) {
        const std::string name = "worker " + std::to_string(stall);
        backend.store->begin(backend.lease(1, name).at(0).lease);
        backend.clock.advance(61s);
    }

    CHECK(backend.lease(1, "last").empty());
    CHECK(backend.job(id).state == JobState::failed);
    CHECK(backend.job(id).last_error == "Worker timed out");
    CHECK(backend.job(id).stalls == 3);
}

TEST_CASE_TEMPLATE("a URL that stalls too often fails, and its crawl completes", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.max_stalls = 0});
    const GroupId group =
        backend.store->add_group({}, {}, {{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"}})
            .value();
    backend.store->begin(backend.lease_urls(1).at(0).lease);
    backend.clock.advance(61s);

    CHECK(backend.lease_urls(1, "second").empty());
    CHECK(backend.group(group).counters.failed == 1);
    CHECK(backend.group(group).state == JobState::completed);
}

TEST_CASE_TEMPLATE("a worker that was silent too long learns what it lost, once", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    backend.lease(1);
    backend.clock.advance(61s);
    backend.lease(1, "second");

    CHECK(backend.store->beat(backend.worker(), {}).value() == std::vector{id});
    CHECK(backend.store->beat(backend.worker(), {}).value().empty());
}

TEST_CASE_TEMPLATE("who takes over from a dead worker is told which, and how many leases it had", Backend,
                   EVERY_STORE) {
    Backend backend;
    std::vector<Event> heard;
    std::mutex mutex;
    const auto observer = backend.store->observe([&](std::span<const Event> events) {
        std::lock_guard lock(mutex);
        for (const Event& event : events)
            if (event.what == Event::What::worker_died) heard.push_back(event);
    });
    backend.add({.kind = "work"});
    backend.add({.kind = "work"});
    REQUIRE(backend.lease(2).size() == 2);
    backend.clock.advance(61s);

    CHECK(backend.lease(2, "second").size() == 2);
    // The observer is called before an answer or right after it, so it has been called before the next
    // answer.
    REQUIRE(backend.store->beat(backend.worker("second"), {}));

    std::lock_guard lock(mutex);
    REQUIRE(heard.size() == 1);
    CHECK(heard.front().url == "first");
    CHECK(heard.front().status == 2);
}

TEST_CASE_TEMPLATE("progress for a lease that has moved says that it is lost", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    const auto lost = backend.lease(1).at(0);
    backend.clock.advance(61s);
    backend.lease(1, "second");
    REQUIRE(backend.store->beat(backend.worker(), {}));

    const std::vector<Progress> progress = {{lost.lease, 50}};
    CHECK(backend.store->beat(backend.worker(), progress).value() == std::vector{id});
    CHECK(backend.job(id).progress == 0);
}

TEST_CASE_TEMPLATE("a released job is leased again at no cost", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    const auto leased = backend.lease(1).at(0);

    REQUIRE(backend.store->release({leased.lease}));

    CHECK(backend.job(id).state == JobState::queued);
    CHECK(backend.finish(leased.lease) == Verdict::conflict);
    const auto again = backend.lease(1).at(0);
    CHECK(again.attempt == 1);
    CHECK(again.stalls == 0);
}

TEST_CASE_TEMPLATE("a restart ends all leases; only begun ones count as stalls", Backend, EVERY_STORE) {
    Backend backend;
    const JobId begun = backend.add({.kind = "work"});
    const JobId waiting = backend.add({.kind = "work"});
    const auto leased = backend.lease(2);
    backend.store->begin(leased[0].lease);

    backend.restart();

    CHECK(backend.job(begun).state == JobState::queued);
    CHECK(backend.job(begun).stalls == 1);
    CHECK(backend.job(waiting).stalls == 0);
    CHECK(backend.finish(leased[0].lease) == Verdict::conflict);
    CHECK(backend.lease(2).size() == 2);
}

TEST_CASE_TEMPLATE("a worker that nobody registered gets nothing", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});

    CHECK(backend.store->lease({.worker = WorkerId{999}, .kinds = {{"work", 1}}}).error().code ==
          ErrorCode::not_found);
    CHECK(backend.store->beat(WorkerId{999}, {}).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("many workers at once never get the same job", Backend, EVERY_STORE) {
    Backend backend;
    std::vector<NewJob> jobs(400, NewJob{.kind = "work"});
    REQUIRE(backend.store->add(jobs));
    std::vector<std::future<std::vector<JobId>>> drains;
    for (int number = 0; number < 4; ++number) {
        const WorkerId worker = backend.worker("worker " + std::to_string(number));
        drains.push_back(std::async(std::launch::async, [&backend, worker] {
            std::vector<JobId> done;
            while (true) {
                const auto leased =
                    backend.store->lease({.worker = worker, .kinds = {{"work", 7}}}).value().jobs;
                if (leased.empty()) return done;
                for (const JobLease& job : leased) {
                    if (backend.store->finish({{job.lease, {}}}).value().at(0) == Verdict::applied) {
                        done.push_back(job.lease.id);
                    }
                }
            }
        }));
    }

    std::vector<JobId> all;
    for (auto& drain : drains) {
        for (const JobId id : drain.get()) all.push_back(id);
    }
    std::ranges::sort(all);
    CHECK(all.size() == 400);
    CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE_TEMPLATE("whoever waits for work is woken by what is added", Backend, EVERY_STORE) {
    Backend backend;
    const std::uint64_t seen = backend.store->wait_for_change(0, backend.clock.now(), {});
    auto waiting = std::async(std::launch::async, [&] {
        return backend.store->wait_for_change(seen, backend.clock.now() + 1h, {});
    });

    backend.add({.kind = "work"});

    CHECK(waiting.get() != seen);
}

TEST_CASE_TEMPLATE("whoever waits for work stops when asked to", Backend, EVERY_STORE) {
    Backend backend;
    std::stop_source stop;
    const std::uint64_t seen = backend.store->wait_for_change(0, backend.clock.now(), {});
    auto waiting = std::async(std::launch::async, [&] {
        return backend.store->wait_for_change(seen, backend.clock.now() + 1h, stop.get_token());
    });

    stop.request_stop();

    CHECK(waiting.get() == seen);
}

}  // namespace quarry::store::promises
