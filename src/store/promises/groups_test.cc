// What every store promises about groups: that they begin, pause, end and are counted as they should.
#include <functional>

#include "store/promises/backend.h"

namespace quarry::store::promises {

namespace {

std::vector<FoundUrl> urls(std::uint64_t count) {
    std::vector<FoundUrl> found;
    for (std::uint64_t key = 1; key <= count; ++key) {
        found.push_back(
            {.url = "https://a.example/" + std::to_string(key), .key = {1, key}, .host = "a.example"});
    }
    return found;
}

}  // namespace

TEST_CASE_TEMPLATE("a group completes when its last job has ended, not before", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}, {.kind = "work"}}, {}).value();
    CHECK(backend.group(group).state == JobState::running);
    CHECK(backend.group(group).counters.jobs_open == 2);
    const auto leased = backend.lease(2);
    backend.finish(leased[0].lease, {.jobs = {{.kind = "work", .group = group}}});
    backend.finish(leased[1].lease);
    CHECK(backend.group(group).state == JobState::running);

    backend.finish(backend.lease(1).at(0).lease, {.end = Failed{"broken"}});

    CHECK(backend.group(group).state == JobState::completed);
    CHECK(backend.group(group).finished_at == backend.clock.now());
    CHECK(backend.group(group).counters.jobs_open == 0);
}

TEST_CASE_TEMPLATE("a group without anything to do is complete at once", Backend, EVERY_STORE) {
    Backend backend;

    CHECK(backend.group(backend.store->add_group({}, {}, {}).value()).state == JobState::completed);
}

TEST_CASE_TEMPLATE("closing jobs are added when everything else has ended, and the group waits for them",
                   Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group =
        backend.store
            ->add_group({.closing_jobs = {{.kind = "close", .payload = "bye"}}}, {{.kind = "work"}}, {})
            .value();
    CHECK(backend.lease(1, "first", "close").empty());
    backend.finish(backend.lease(1).at(0).lease);

    const auto closing = backend.lease(5, "first", "close");
    REQUIRE(closing.size() == 1);
    CHECK(closing[0].payload == "bye");
    CHECK(closing[0].group == group);
    CHECK(backend.group(group).state == JobState::running);

    backend.finish(closing[0].lease);
    CHECK(backend.group(group).state == JobState::completed);
}

TEST_CASE_TEMPLATE("a group's notice is added when it begins and when it is over, however it ends", Backend,
                   EVERY_STORE) {
    using End = std::function<void(Backend&, GroupId)>;
    struct Case {
        std::string state;
        End end;
    };
    const Case cases[] = {
        {"completed", [](Backend& backend, GroupId) { backend.finish(backend.lease(1).at(0).lease); }},
        {"failed", [](Backend& backend, GroupId id) { REQUIRE(backend.store->fail_group(id, "why")); }},
        {"cancelled", [](Backend& backend, GroupId id) { REQUIRE(backend.store->cancel(id)); }},
    };
    for (const Case& row : cases) {
        CAPTURE(row.state);
        Backend backend;
        const GroupId group =
            backend.store
                ->add_group({.owner = "ann", .notice = NewJob{.kind = "tell", .payload = R"({"a":1})"}},
                            {{.kind = "work"}}, {})
                .value();

        const auto begun = backend.lease(9, "first", "tell");
        REQUIRE(begun.size() == 1);
        CHECK(begun[0].payload.find("\"state\":\"running\"") != std::string::npos);
        CHECK(begun[0].payload.find("\"a\":1") != std::string::npos);
        CHECK(begun[0].payload.find("\"group\":" + std::to_string(number(group))) != std::string::npos);
        CHECK(begun[0].owner == "ann");
        CHECK_FALSE(begun[0].group);

        // Neither pausing it nor going on tells anything.
        REQUIRE(backend.store->pause(group));
        REQUIRE(backend.store->resume(group));
        CHECK(backend.lease(9, "first", "tell").empty());

        row.end(backend, group);
        CHECK(name_of(backend.group(group).state) == row.state);
        const auto ended = backend.lease(9, "first", "tell");
        REQUIRE(ended.size() == 1);
        CHECK(ended[0].payload.find("\"state\":\"" + row.state) != std::string::npos);
    }
}

TEST_CASE_TEMPLATE("a group that waits gives no notice, and keeps the one of its end over a restart", Backend,
                   EVERY_STORE) {
    Backend backend(StoreLimits{.running_groups_per_owner = 1});
    const NewGroup wanted{.closing_jobs = {{.kind = "close"}}, .notice = NewJob{.kind = "tell"}};
    backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId second = backend.store->add_group(wanted, {{.kind = "work"}}, {}).value();
    CHECK(backend.lease(9, "first", "tell").empty());

    backend.finish(backend.lease(1).at(0).lease);
    const auto begun = backend.lease(9, "first", "tell");
    REQUIRE(begun.size() == 1);
    backend.finish(begun[0].lease);
    backend.finish(backend.lease(1).at(0).lease);
    backend.restart();
    backend.finish(backend.lease(1, "first", "close").at(0).lease);

    CHECK(backend.group(second).state == JobState::completed);
    CHECK(backend.lease(9, "first", "tell").size() == 1);
}

TEST_CASE_TEMPLATE("a job cannot join a group that is unknown or over", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId over = backend.store->add_group({}, {}, {}).value();

    CHECK(backend.store->add({{.kind = "work", .group = GroupId{999}}}).error().code == ErrorCode::not_found);
    CHECK(backend.store->add({{.kind = "work", .group = over}}).error().code == ErrorCode::conflict);
    CHECK(backend.lease(1).empty());
}

TEST_CASE_TEMPLATE("cancelling a group ends its jobs and URLs, also those that run", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}, {.kind = "work"}}, urls(5)).value();
    const auto job = backend.lease(1).at(0);
    const auto url = backend.lease_urls(1).at(0);

    REQUIRE(backend.store->cancel(group));

    CHECK(backend.finish(job.lease) == Verdict::conflict);
    CHECK(backend.finish(url.lease, {.found = urls(9)}) == Verdict::conflict);
    CHECK(backend.lease(5).empty());
    CHECK(backend.lease_urls(5).empty());
    const Group ended = backend.group(group);
    CHECK(ended.state == JobState::cancelled);
    CHECK(ended.counters.jobs_open == 0);
    CHECK(ended.counters.queued == 0);
    CHECK(ended.counters.running == 0);
    CHECK(ended.counters.discovered == 5);
    CHECK(backend.job(job.lease.id).state == JobState::cancelled);
    CHECK(backend.store->cancel(group).error().code == ErrorCode::conflict);
    CHECK(backend.store->beat(backend.worker(), {}).value().size() == 2);
}

TEST_CASE_TEMPLATE("nothing of a paused group is leased, but what runs is still taken", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}, {.kind = "work"}}, urls(3)).value();
    const auto job = backend.lease(1).at(0);
    const auto url = backend.lease_urls(1).at(0);

    REQUIRE(backend.store->pause(group));

    CHECK(backend.lease(5).empty());
    CHECK(backend.lease_urls(5).empty());
    CHECK(backend.finish(job.lease) == Verdict::applied);
    CHECK(backend.finish(url.lease) == Verdict::applied);
    CHECK(backend.group(group).state == JobState::paused);

    REQUIRE(backend.store->resume(group));
    CHECK(backend.group(group).state == JobState::running);
    CHECK(backend.lease(5).size() == 1);
    CHECK(backend.lease_urls(5).size() == 2);
}

TEST_CASE_TEMPLATE("a paused group stays paused over a restart", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}}, urls(3)).value();
    REQUIRE(backend.store->pause(group));

    backend.restart();

    CHECK(backend.lease(5).empty());
    CHECK(backend.lease_urls(5).empty());
    REQUIRE(backend.store->resume(group));
    CHECK(backend.lease(5).size() == 1);
    CHECK(backend.lease_urls(5).size() == 3);
}

TEST_CASE_TEMPLATE("a paused group whose last work ended completes when it is resumed", Backend,
                   EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const auto job = backend.lease(1).at(0);
    REQUIRE(backend.store->pause(group));
    backend.finish(job.lease);
    CHECK(backend.group(group).state == JobState::paused);

    REQUIRE(backend.store->resume(group));

    CHECK(backend.group(group).state == JobState::completed);
}

TEST_CASE_TEMPLATE("a group that fails says why, and what is left of it is skipped", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {}, urls(5)).value();
    const auto running = backend.lease_urls(1).at(0);

    REQUIRE(backend.store->fail_group(group, "over half of the pages failed"));

    const Group ended = backend.group(group);
    CHECK(ended.state == JobState::failed);
    CHECK(ended.error == "over half of the pages failed");
    CHECK(ended.counters.skipped == 5);
    CHECK(backend.finish(running.lease) == Verdict::conflict);
}

TEST_CASE_TEMPLATE("a group waits while its owner has as many as it may, and begins when one ends", Backend,
                   EVERY_STORE) {
    Backend backend;
    REQUIRE(backend.store->set_limits("ann", {.running_groups = 1}));
    const NewGroup of_ann{.owner = "ann"};
    const GroupId first = backend.store->add_group(of_ann, {{.kind = "work"}}, {}).value();
    const GroupId second = backend.store->add_group(of_ann, {{.kind = "work"}}, urls(1)).value();
    CHECK(backend.store->add_group({.owner = "bob"}, {}, urls(1)));
    CHECK(backend.group(second).state == JobState::queued);

    const auto leased = backend.lease(5);
    REQUIRE(leased.size() == 1);
    CHECK(leased[0].group == first);
    CHECK(backend.lease_urls(5).size() == 1);

    backend.finish(leased[0].lease);
    CHECK(backend.group(second).state == JobState::running);
    CHECK(backend.lease(5).size() == 1);
}

TEST_CASE_TEMPLATE("of the groups that wait, the most urgent begins first, then the oldest", Backend,
                   EVERY_STORE) {
    Backend backend(StoreLimits{.running_groups_per_owner = 1});
    const GroupId running = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId older = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId urgent =
        backend.store->add_group({.priority = priority_high}, {{.kind = "work"}}, {}).value();

    REQUIRE(backend.store->cancel(running));
    CHECK(backend.group(urgent).state == JobState::running);
    CHECK(backend.group(older).state == JobState::queued);
    REQUIRE(backend.store->cancel(urgent));
    CHECK(backend.group(older).state == JobState::running);
}

TEST_CASE_TEMPLATE("a group that wants no company runs alone, and is not overtaken", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId first = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId alone =
        backend.store->add_group({.concurrency = Concurrency::exclusive}, {{.kind = "work"}}, {}).value();
    const GroupId third = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    CHECK(backend.group(alone).state == JobState::queued);
    CHECK(backend.group(third).state == JobState::queued);

    REQUIRE(backend.store->cancel(first));
    CHECK(backend.group(alone).state == JobState::running);
    CHECK(backend.group(third).state == JobState::queued);

    REQUIRE(backend.store->cancel(alone));
    CHECK(backend.group(third).state == JobState::running);
}

TEST_CASE_TEMPLATE("a group apart waits for no other, and no other waits for it", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.running_groups_per_owner = 1});
    const GroupId first = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId second = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId alone =
        backend.store->add_group({.concurrency = Concurrency::exclusive}, {{.kind = "work"}}, {}).value();

    const GroupId apart =
        backend.store->add_group({.concurrency = Concurrency::unlimited}, {{.kind = "work"}}, {}).value();

    CHECK(backend.group(first).state == JobState::running);
    CHECK(backend.group(second).state == JobState::queued);
    CHECK(backend.group(apart).state == JobState::running);
    REQUIRE(backend.store->cancel(first));
    REQUIRE(backend.store->cancel(second));
    CHECK(backend.group(alone).state == JobState::running);
    CHECK(backend.group(apart).state == JobState::running);
}

TEST_CASE_TEMPLATE("a paused group leaves its place to another", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.running_groups_per_owner = 1});
    const GroupId first = backend.store->add_group({}, {{.kind = "work"}}, {}).value();
    const GroupId second = backend.store->add_group({}, {{.kind = "work"}}, {}).value();

    REQUIRE(backend.store->pause(first));
    CHECK(backend.group(second).state == JobState::running);

    REQUIRE(backend.store->resume(first));
    CHECK(backend.group(first).state == JobState::queued);
}

TEST_CASE_TEMPLATE("no more groups run in all than the store allows", Backend, EVERY_STORE) {
    Backend backend(StoreLimits{.max_running_groups = 1});
    REQUIRE(backend.store->add_group({.owner = "ann"}, {{.kind = "work"}}, {}));

    const GroupId second = backend.store->add_group({.owner = "bob"}, {{.kind = "work"}}, {}).value();

    CHECK(backend.group(second).state == JobState::queued);
}

TEST_CASE_TEMPLATE("the scope of a group is widened once per root", Backend, EVERY_STORE) {
    Backend backend;
    const GroupId group = backend.store->add_group({}, {{.kind = "work"}, {.kind = "work"}}, {}).value();
    for (const JobLease& job : backend.lease(2)) {
        backend.finish(job.lease, {.roots = {"https://b.example/", "https://c.example/"}});
    }

    CHECK(backend.group(group).roots == std::vector<std::string>{"https://b.example/", "https://c.example/"});
}

TEST_CASE_TEMPLATE("observers hear of ends after they are committed", Backend, EVERY_STORE) {
    Backend backend;
    std::vector<Event> heard;
    std::mutex mutex;
    const auto observer = backend.store->observe([&](std::span<const Event> events) {
        std::lock_guard lock(mutex);
        heard.insert(heard.end(), events.begin(), events.end());
    });
    const GroupId group = backend.store->add_group({}, {}, urls(1)).value();
    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200});
    // The observer is called before the finish is answered or right after: the next answer comes later.
    REQUIRE(backend.store->beat(backend.worker(), {}));

    std::lock_guard lock(mutex);
    REQUIRE(heard.size() >= 3);
    const Event& page = heard[heard.size() - 2];
    CHECK(page.what == Event::What::page);
    CHECK(page.url == "https://a.example/1");
    CHECK(page.status == 200);
    CHECK(heard.back().what == Event::What::group_changed);
    CHECK(heard.back().group == group);
    CHECK(heard.back().state == JobState::completed);
}

}  // namespace quarry::store::promises
