// What every store promises about a job, from its adding to its end.
#include "store/promises/backend.h"

namespace quarry::store::promises {

TEST_CASE_TEMPLATE("a job that was added is leased, with all it was added with", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id =
        backend.add({.kind = "work", .payload = R"({"n":1})", .max_attempts = 5, .owner = "ann"});

    const auto leased = backend.lease(10);

    REQUIRE(leased.size() == 1);
    CHECK(leased[0].lease.id == id);
    CHECK(leased[0].kind == "work");
    CHECK(leased[0].payload == R"({"n":1})");
    CHECK(leased[0].attempt == 1);
    CHECK(leased[0].max_attempts == 5);
    CHECK(leased[0].owner == "ann");
}

TEST_CASE_TEMPLATE("a leased job is leased to nobody else", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});
    REQUIRE(backend.lease(1).size() == 1);

    CHECK(backend.lease(1).empty());
    CHECK(backend.lease(1, "second").empty());
}

TEST_CASE_TEMPLATE("a worker gets only the kinds it asks for, and no more than it has room for", Backend,
                   EVERY_STORE) {
    Backend backend;
    for (int count = 0; count < 3; ++count) backend.add({.kind = "work"});
    backend.add({.kind = "other"});

    CHECK(backend.lease(2).size() == 2);
    CHECK(backend.lease(5).size() == 1);
    CHECK(backend.lease(5, "first", "other").size() == 1);
}

TEST_CASE_TEMPLATE("a completed job keeps its result and is not leased again", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    const auto leased = backend.lease(1).at(0);

    CHECK(backend.finish(leased.lease, {.end = Completed{"42"}}) == Verdict::applied);

    const Job job = backend.job(id);
    CHECK(job.state == JobState::completed);
    CHECK(job.result == "42");
    CHECK(job.finished_at == backend.clock.now());
    CHECK(backend.lease(1).empty());
}

TEST_CASE_TEMPLATE("the same outcome sent twice is recognised, and another token is refused", Backend,
                   EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});
    const LeaseRef lease = backend.lease(1).at(0).lease;
    REQUIRE(backend.finish(lease) == Verdict::applied);

    CHECK(backend.finish(lease) == Verdict::already_applied);
    CHECK(backend.finish({lease.id, Token(number(lease.token) + 1)}) == Verdict::conflict);
}

TEST_CASE_TEMPLATE("a failed attempt is tried again when its time has come, until attempts are used up",
                   Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .max_attempts = 2});
    const auto first = backend.lease(1).at(0);
    backend.finish(first.lease, {.end = Retry{"no route", backend.clock.now() + 10s}});

    CHECK(backend.lease(1).empty());
    CHECK(backend.job(id).state == JobState::queued);
    CHECK(backend.job(id).last_error == "no route");

    backend.clock.advance(10s);
    const auto second = backend.lease(1).at(0);
    CHECK(second.attempt == 2);
    backend.finish(second.lease, {.end = Retry{"still none", backend.clock.now()}});

    CHECK(backend.job(id).state == JobState::failed);
    CHECK(backend.job(id).attempts == 2);
    CHECK(backend.job(id).last_error == "still none");
    CHECK(backend.lease(1).empty());
}

TEST_CASE_TEMPLATE("a job that is not ready is put off at no cost", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .max_attempts = 1});
    for (int time = 0; time < 5; ++time) {
        const auto leased = backend.lease(1).at(0);
        CHECK(leased.attempt == 1);
        backend.finish(leased.lease, {.end = Snooze{backend.clock.now() + 1s, "the crawl still runs"}});
        CHECK(backend.lease(1).empty());
        backend.clock.advance(1s);
    }

    CHECK(backend.job(id).attempts == 0);
    CHECK(backend.job(id).last_error == "the crawl still runs");
}

TEST_CASE_TEMPLATE("a job that cannot succeed fails at once", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .max_attempts = 5});
    backend.finish(backend.lease(1).at(0).lease, {.end = Failed{"no such host"}});

    CHECK(backend.job(id).state == JobState::failed);
    CHECK(backend.job(id).last_error == "no such host");
}

TEST_CASE_TEMPLATE("a job is not leased before its time, and the store says when that is", Backend,
                   EVERY_STORE) {
    Backend backend;
    const Timestamp noon = backend.clock.now() + 1h;
    backend.add({.kind = "work", .run_at = noon});

    const Leased early = backend.lease_for({.kinds = {{"work", 1}}});
    CHECK(early.jobs.empty());
    CHECK(early.next_due == noon);

    backend.clock.advance(1h);
    CHECK(backend.lease(1).size() == 1);
}

TEST_CASE_TEMPLATE("while an open job has a unique key, adding another gives that one", Backend,
                   EVERY_STORE) {
    Backend backend;
    const auto first = backend.store->add({{.kind = "work", .unique_key = "a"}}).value().at(0);
    const auto again = backend.store->add({{.kind = "work", .unique_key = "a"}}).value().at(0);

    CHECK_FALSE(first.existed);
    CHECK(again.existed);
    CHECK(again.id == first.id);

    backend.finish(backend.lease(1).at(0).lease);
    const auto later = backend.store->add({{.kind = "work", .unique_key = "a"}}).value().at(0);
    CHECK_FALSE(later.existed);
    CHECK(later.id != first.id);
}

TEST_CASE_TEMPLATE("a unique key given twice in one call adds one job", Backend, EVERY_STORE) {
    Backend backend;

    const auto added =
        backend.store->add({{.kind = "work", .unique_key = "a"}, {.kind = "work", .unique_key = "a"}})
            .value();

    CHECK(added.at(0).id == added.at(1).id);
    CHECK(backend.lease(5).size() == 1);
}

TEST_CASE_TEMPLATE("jobs that an outcome adds are there with it", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});

    backend.finish(backend.lease(1).at(0).lease, {.jobs = {{.kind = "next", .payload = "1"}}});

    CHECK(backend.lease(1, "first", "next").at(0).payload == "1");
}

TEST_CASE_TEMPLATE("a job that is not done by its deadline fails, also while it runs", Backend, EVERY_STORE) {
    Backend backend;
    const Timestamp deadline = backend.clock.now() + 30s;
    const JobId waiting = backend.add({.kind = "other", .deadline = deadline});
    const JobId running = backend.add({.kind = "work", .deadline = deadline});
    const auto leased = backend.lease(1).at(0);
    CHECK(leased.deadline == deadline);

    backend.clock.advance(30s);
    CHECK(backend.lease(1).empty());

    CHECK(backend.job(waiting).state == JobState::failed);
    CHECK(backend.job(running).state == JobState::failed);
    CHECK(backend.finish(leased.lease) == Verdict::conflict);
    CHECK(backend.store->beat(backend.worker(), {}).value() == std::vector{running});
}

TEST_CASE_TEMPLATE("a job that waits past its start time-out fails with the reason", Backend, EVERY_STORE) {
    Backend backend;
    const JobId late = backend.add({.kind = "work", .start_by = backend.clock.now() + 30s});
    const JobId patient = backend.add({.kind = "work"});
    backend.clock.advance(31s);

    const auto leased = backend.lease(5);

    REQUIRE(leased.size() == 1);
    CHECK(leased[0].lease.id == patient);
    CHECK(backend.job(late).state == JobState::failed);
    CHECK(backend.job(late).last_error == "waited longer than 30s for its turn");
}

TEST_CASE_TEMPLATE("a job that was given back still may not wait longer than it may", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .start_by = backend.clock.now() + 30s});
    const auto leased = backend.lease(1).at(0);
    backend.clock.advance(31s);
    CHECK(backend.lease(1).empty());
    CHECK(backend.job(id).state == JobState::running);

    REQUIRE(backend.store->release({leased.lease}));

    CHECK(backend.lease(1).empty());
    CHECK(backend.job(id).state == JobState::failed);
}

TEST_CASE_TEMPLATE("progress is saved with the heartbeat", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    const auto leased = backend.lease(1).at(0);

    const std::vector<Progress> progress = {{leased.lease, 40}};
    CHECK(backend.store->beat(backend.worker(), progress).value().empty());

    CHECK(backend.job(id).progress == 40);
    CHECK(backend.job(id).state == JobState::running);
    CHECK(backend.job(id).worker == backend.worker());
}

TEST_CASE_TEMPLATE("what was added survives a restart, in its order", Backend, EVERY_STORE) {
    Backend backend;
    std::vector<JobId> added;
    for (int count = 0; count < 5; ++count) added.push_back(backend.add({.kind = "work"}));

    backend.restart();

    std::vector<JobId> leased;
    for (const JobLease& lease : backend.lease(10)) leased.push_back(lease.lease.id);
    CHECK(leased == added);
}

TEST_CASE_TEMPLATE("an id is never given twice, even when everything is done and gone", Backend,
                   EVERY_STORE) {
    Backend backend;
    const JobId first = backend.add({.kind = "work"});
    backend.finish(backend.lease(1).at(0).lease);
    backend.restart();

    CHECK(backend.add({.kind = "work"}) > first);
}

}  // namespace quarry::store::promises
