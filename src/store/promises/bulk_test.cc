// What every store promises to people who tidy up: filters, retries, schedules, retention, backups.
#include "store/promises/backend.h"

namespace quarry::store::promises {

TEST_CASE_TEMPLATE("cancelling jobs reaches queued and running ones, and only those asked for", Backend,
                   EVERY_STORE) {
    Backend backend;
    const JobId running = backend.add({.kind = "work"});
    const auto leased = backend.lease(1).at(0);
    const JobId queued = backend.add({.kind = "work"});
    const JobId other = backend.add({.kind = "other"});

    CHECK(backend.store->cancel({.kind = "work"}).value() == 2);

    CHECK(backend.job(running).state == JobState::cancelled);
    CHECK(backend.job(queued).state == JobState::cancelled);
    CHECK(backend.job(other).state == JobState::queued);
    CHECK(backend.finish(leased.lease) == Verdict::conflict);
    CHECK(backend.lease(5).empty());
}

TEST_CASE_TEMPLATE("a paused job waits until it is resumed", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work"});
    CHECK(backend.store->pause({.ids = {id}}).value() == 1);
    CHECK(backend.lease(1).empty());
    CHECK(backend.job(id).state == JobState::paused);

    backend.restart();
    CHECK(backend.lease(1).empty());

    CHECK(backend.store->resume({.owner = "local"}).value() == 1);
    CHECK(backend.lease(5).size() == 1);
}

TEST_CASE_TEMPLATE("a failed job can be retried, with all its attempts", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .payload = "p", .max_attempts = 1});
    backend.finish(backend.lease(1).at(0).lease, {.end = Retry{"broken", backend.clock.now()}});
    REQUIRE(backend.job(id).state == JobState::failed);

    CHECK(backend.store->retry({.states = {JobState::failed}}).value() == 1);

    const auto again = backend.lease(1).at(0);
    CHECK(again.lease.id == id);
    CHECK(again.attempt == 1);
    CHECK(again.payload == "p");
    CHECK(backend.finish(again.lease) == Verdict::applied);
}

TEST_CASE_TEMPLATE("a failed job is not retried while another holds its unique key", Backend, EVERY_STORE) {
    Backend backend;
    const JobId id = backend.add({.kind = "work", .unique_key = "a"});
    backend.finish(backend.lease(1).at(0).lease, {.end = Failed{"broken"}});
    backend.add({.kind = "work", .unique_key = "a"});

    CHECK(backend.store->retry({.ids = {id}}).value() == 0);
    CHECK(backend.job(id).state == JobState::failed);
}

TEST_CASE_TEMPLATE("retrying failed URLs opens their crawl again", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group =
        backend.store->add_group({}, {}, {{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"}})
            .value();
    backend.finish(backend.lease_urls(1).at(0).lease, {.end = Failed{"broken"}, .status = 500});
    REQUIRE(backend.group(group).state == JobState::completed);

    CHECK(backend.store->retry({.group = group, .kind = "fetch_page"}).value() == 1);

    CHECK(backend.group(group).state == JobState::running);
    CHECK(backend.group(group).counters.failed == 0);
    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200});
    CHECK(backend.group(group).state == JobState::completed);
    CHECK(backend.group(group).counters.completed == 1);
}

TEST_CASE_TEMPLATE("a URL that waited for its time when its crawl was cancelled is not forgotten", Backend,
                   EVERY_STORE) {
    Backend backend;
    const FoundUrl seed{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"};
    const GroupId group = backend.store->add_group({.site = "a.example"}, {}, {seed}).value();
    const auto lease = backend.lease_urls(1).at(0).lease;
    backend.finish(lease, {.end = Retry{.error = "busy", .not_before = backend.store->now() + 10s}});
    REQUIRE(backend.store->cancel(group));
    backend.clock.advance(20s);
    REQUIRE(backend.lease_urls(1).empty());

    CHECK(backend.store->retry(JobFilter{.group = group, .kind = "fetch_page"}).value() == 1);

    CHECK(backend.lease_urls(1).size() == 1);
}

TEST_CASE_TEMPLATE("cleared jobs are gone for good, but running ones stay", Backend, EVERY_STORE) {
    Backend backend;
    const JobId running = backend.add({.kind = "work"});
    backend.lease(1);
    const JobId queued = backend.add({.kind = "work"});
    const JobId ended = backend.add({.kind = "other"});
    backend.finish(backend.lease(1, "first", "other").at(0).lease);

    CHECK(backend.store->clear({}).value() == 2);

    CHECK(backend.reader->job(queued).error().code == ErrorCode::not_found);
    CHECK(backend.reader->job(ended).error().code == ErrorCode::not_found);
    CHECK(backend.job(running).state == JobState::running);
    CHECK(backend.lease(5).empty());
}

TEST_CASE_TEMPLATE("a filter by age counts from the end", Backend, EVERY_STORE) {
    Backend backend;
    backend.add({.kind = "work"});
    backend.finish(backend.lease(1).at(0).lease);
    backend.clock.advance(2h);
    backend.add({.kind = "work"});
    backend.finish(backend.lease(1).at(0).lease);

    CHECK(backend.store->clear({.older_than = 1h}).value() == 1);
}

TEST_CASE_TEMPLATE("a change of many jobs reaches all of them", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->add(std::vector<NewJob>(1'234, NewJob{.kind = "work"})));

    CHECK(backend.store->pause(JobFilter{}).value() == 1'234);
    CHECK(backend.store->cancel(JobFilter{}).value() == 1'234);
}

TEST_CASE_TEMPLATE("a schedule adds its job at each of its times, once", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_schedule({.name = "hourly", .cron = "0 * * * *", .job = {.kind = "work"}}));
    const Leased none = backend.lease_for({.kinds = {{"work", 5}}});
    CHECK(none.jobs.empty());
    REQUIRE(none.next_due);
    CHECK(*none.next_due - backend.clock.now() <= 1h);

    backend.clock.advance(1h);
    CHECK(backend.lease(5).size() == 1);
    CHECK(backend.lease(5).empty());
}

TEST_CASE_TEMPLATE("times of a schedule that passed while nothing ran count once", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_schedule({.name = "hourly", .cron = "@hourly", .job = {.kind = "work"}}));
    backend.clock.advance(24h);

    backend.restart();

    CHECK(backend.lease(50).size() == 1);
}

TEST_CASE_TEMPLATE("a schedule can begin a group with its job", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_schedule(
        {.name = "crawl", .cron = "@daily", .job = {.kind = "work"}, .group = NewGroup{.name = "docs"}}));
    backend.clock.advance(24h);

    const auto leased = backend.lease(5);

    REQUIRE(leased.size() == 1);
    REQUIRE(leased[0].group);
    CHECK(backend.group(*leased[0].group).name == "docs");
}

TEST_CASE_TEMPLATE("a schedule is replaced by its name, and removed", Backend, EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_schedule({.name = "x", .cron = "@hourly", .job = {.kind = "work"}}));
    REQUIRE(backend.store->set_schedule({.name = "x", .cron = "@daily", .job = {.kind = "work"}}));
    CHECK(backend.reader->schedules().value().size() == 1);

    CHECK(backend.store->remove_schedule("x").value());
    CHECK_FALSE(backend.store->remove_schedule("x").value());
    backend.clock.advance(48h);
    CHECK(backend.lease(5).empty());
}

TEST_CASE_TEMPLATE("a schedule that cannot be understood is refused", Backend, EVERY_STORE) {
    Backend backend;

    CHECK(backend.store->set_schedule({.name = "x", .cron = "every now and then"}).error().code ==
          ErrorCode::invalid_argument);
    CHECK(backend.reader->schedules().value().empty());
}

TEST_CASE_TEMPLATE("ended jobs are removed when their time is over, by state; open ones never", Backend,
                   EVERY_STORE) {
    Backend backend;
    const JobId completed = backend.add({.kind = "work"});
    backend.finish(backend.lease(1).at(0).lease);
    const JobId failed = backend.add({.kind = "work"});
    backend.finish(backend.lease(1).at(0).lease, {.end = Failed{"broken"}});
    const JobId open = backend.add({.kind = "work"});

    backend.clock.advance(2h);
    CHECK(backend.store->sweep({}, 1s).value().jobs == 1);
    CHECK(backend.reader->job(completed).error().code == ErrorCode::not_found);
    CHECK(backend.job(failed).state == JobState::failed);

    backend.clock.advance(24h * 365);
    CHECK(backend.store->sweep({}, 1s).value().jobs == 1);
    CHECK(backend.job(open).state == JobState::queued);
}

TEST_CASE_TEMPLATE("a group goes with everything of it when its time is over", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store
                              ->add_group({}, {{.kind = "work"}},
                                          {{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"}})
                              .value();
    const JobId job = backend.lease(1).at(0).lease.id;
    REQUIRE(backend.store->cancel(group));
    backend.clock.advance(24h * 29);
    CHECK(backend.store->sweep({}, 1s).value().groups == 0);

    backend.clock.advance(24h * 2);

    CHECK(backend.store->sweep({}, 1s).value().groups == 1);
    CHECK(backend.reader->group(group).error().code == ErrorCode::not_found);
    CHECK(backend.reader->job(job).error().code == ErrorCode::not_found);
    CHECK(backend.reader->urls({.group = group}).value().empty());
}

TEST_CASE_TEMPLATE("what must not be kept goes after an hour, whatever became of it", Backend, EVERY_STORE) {
    Backend backend;
    const JobId job = backend.add({.kind = "work", .zero_retention = true});
    backend.finish(backend.lease(1).at(0).lease, {.end = Failed{"broken"}});
    const GroupId group = backend.store->add_group({.zero_retention = true}, {}, {}).value();

    backend.clock.advance(1h);
    REQUIRE(backend.store->sweep({}, 1s));

    CHECK(backend.reader->job(job).error().code == ErrorCode::not_found);
    CHECK(backend.reader->group(group).error().code == ErrorCode::not_found);
}

}  // namespace quarry::store::promises
