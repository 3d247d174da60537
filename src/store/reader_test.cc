// What a reader shows of a database, row by row.
#include <fstream>

#include <doctest/doctest.h>

#include "store/reader_database.h"

namespace quarry::store {

namespace {

std::vector<std::int64_t> ids(const std::vector<Job>& jobs) {
    std::vector<std::int64_t> result;
    for (const Job& job : jobs) result.push_back(number(job.id));
    return result;
}

std::vector<std::int64_t> ids(const std::vector<Group>& groups) {
    std::vector<std::int64_t> result;
    for (const Group& group : groups) result.push_back(number(group.id));
    return result;
}

std::vector<std::int64_t> ids(const std::vector<FrontierUrl>& urls) {
    std::vector<std::int64_t> result;
    for (const FrontierUrl& url : urls) result.push_back(number(url.id));
    return result;
}

using Ids = std::vector<std::int64_t>;

std::int64_t count_of(const std::vector<StateCount>& counts, std::string_view kind, JobState state) {
    for (const StateCount& count : counts) {
        if (count.kind == kind && count.state == state) return count.count;
    }
    return 0;
}

}  // namespace

TEST_CASE("a database that is not there is not found") {
    const test::TemporaryFolder folder;

    const auto reader = open_sqlite_reader(folder.file("quarry.db"));

    REQUIRE_FALSE(reader);
    CHECK(reader.error().code == ErrorCode::not_found);
    CHECK_FALSE(std::filesystem::exists(folder.file("quarry.db")));
}

TEST_CASE("an empty file is no database yet") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("quarry.db");
    std::ofstream(path).close();

    CHECK(open_sqlite_reader(path).error().code == ErrorCode::not_found);
}

TEST_CASE("a file that is no database is refused by its name") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("quarry.db");
    std::ofstream(path) << std::string(10'000, 'x');

    const auto reader = open_sqlite_reader(path);

    REQUIRE_FALSE(reader);
    CHECK(reader.error().code == ErrorCode::corrupt);
    CHECK(reader.error().message.find(path) != std::string::npos);
}

TEST_CASE("a database of a newer version is refused") {
    by_sql::SqliteRows database;
    database.sql("PRAGMA user_version = 99");

    CHECK(open_sqlite_reader(database.path).error().code == ErrorCode::unsupported);
}

TEST_CASE_TEMPLATE("a reader knows the salt of public ids", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    CHECK(database.reader->salt() == 77);
}

TEST_CASE_TEMPLATE("a group is read with its owner, its counters and its roots", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});

    const Group group = database.reader->group(GroupId{10}).value();

    CHECK(group.owner == "ann");
    CHECK(group.state == JobState::running);
    CHECK(group.collection == "docs");
    CHECK(group.roots == std::vector<std::string>{"https://b.example/"});
    CHECK(group.counters.jobs_open == 1);
    CHECK(group.counters.queued == 3);
    CHECK(group.counters.gone == 10);
    CHECK(group.counters.bytes == 13);
    CHECK(group.page_limit == 100);
    CHECK(group.started_at == Timestamp(std::chrono::milliseconds(2'000)));
    CHECK_FALSE(group.finished_at);
    CHECK(database.reader->group(GroupId{11}).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("groups are listed from the newest on, by owner and state, page after page", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.group({.id = 20, .state = JobState::completed});
    database.group({.id = 30, .owner = 2});

    CHECK(ids(database.reader->groups({}).value()) == Ids{30, 20, 10});
    CHECK(ids(database.reader->groups({.limit = 2}).value()) == Ids{30, 20});
    CHECK(ids(database.reader->groups({.before = GroupId{20}}).value()) == Ids{10});
    CHECK(ids(database.reader->groups({.owner = "ann"}).value()) == Ids{20, 10});
    CHECK(ids(database.reader->groups({.states = {JobState::running}}).value()) == Ids{30, 10});
}

TEST_CASE_TEMPLATE("a waiting group knows its place among those of its owner", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.group({.id = 20, .state = JobState::queued});
    database.group({.id = 30, .state = JobState::queued});
    database.group({.id = 40, .state = JobState::queued, .owner = 2});
    database.group({.id = 50, .state = JobState::queued, .priority = 1});

    CHECK(database.reader->position(GroupId{10}).value() == 0);
    CHECK(database.reader->position(GroupId{50}).value() == 1);
    CHECK(database.reader->position(GroupId{20}).value() == 2);
    CHECK(database.reader->position(GroupId{30}).value() == 3);
    CHECK(database.reader->position(GroupId{40}).value() == 1);
}

TEST_CASE_TEMPLATE("the URLs being fetched are the newest leases of the group", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    for (const int id : {11, 12, 13, 14}) database.url(id, id == 14 ? 9 : 10, UrlState::queued);
    for (const int id : {11, 13, 14}) database.lease_url(id);

    CHECK(database.reader->current_urls(GroupId{10}, 10).value() ==
          std::vector<std::string>{"https://a.example/13", "https://a.example/11"});
    CHECK(database.reader->current_urls(GroupId{10}, 1).value().size() == 1);
}

TEST_CASE_TEMPLATE("an open job runs while somebody has a lease on it", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.job(20, JobState::queued);
    database.job(21, JobState::queued);
    database.job(22, JobState::paused);
    database.lease_job(21, 4);

    const auto jobs = database.reader->jobs({}).value();

    REQUIRE(ids(jobs) == Ids{20, 21, 22});
    CHECK(jobs[0].state == JobState::queued);
    CHECK(jobs[0].kind == "scrape");
    CHECK(jobs[0].owner == "ann");
    CHECK(jobs[0].unique_key == "key-20");
    CHECK(jobs[0].last_error == "it broke");
    CHECK(jobs[0].deadline == Timestamp(std::chrono::milliseconds(9'000)));
    CHECK_FALSE(jobs[0].worker);
    CHECK(jobs[1].state == JobState::running);
    CHECK(jobs[1].progress == 40);
    CHECK(jobs[1].worker == WorkerId{4});
    CHECK(jobs[1].started_at == Timestamp(std::chrono::milliseconds(2'021)));
    CHECK(jobs[2].state == JobState::paused);
}

TEST_CASE_TEMPLATE("payload and result are read only when asked for", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.job(20, JobState::queued);
    database.done(21, JobState::completed);

    CHECK(database.reader->jobs({}).value()[0].payload.empty());
    CHECK(database.reader->jobs({}).value()[1].result.empty());
    CHECK(database.reader->jobs({.with_payload = true}).value()[0].payload == "{\"n\":20}");
    CHECK(database.reader->job(JobId{21}).value().result == "{\"ok\":true}");
}

TEST_CASE_TEMPLATE("open and ended jobs are one list in order of their ids, page after page", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    for (int id = 20; id < 30; ++id) {
        if (id % 3 == 0) {
            database.done(id, JobState::completed);
        } else {
            database.job(id, JobState::queued);
        }
    }

    Ids seen;
    std::optional<JobId> after;
    while (true) {
        const auto page = database.reader->jobs({.after = after, .limit = 3}).value();
        if (page.empty()) break;
        CHECK(page.size() <= 3);
        for (const Job& job : page) seen.push_back(number(job.id));
        after = page.back().id;
    }

    CHECK(seen == Ids{20, 21, 22, 23, 24, 25, 26, 27, 28, 29});
}

TEST_CASE_TEMPLATE("every field of a filter narrows the list of jobs", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.job(20, JobState::queued);
    database.job(21, JobState::paused, "10");
    database.job(22, JobState::queued, "NULL", 2, 2);
    database.done(23, JobState::failed);
    database.done(24, JobState::completed, "10");
    const auto listed = [&](JobFilter filter) {
        return ids(database.reader->jobs({.filter = filter}).value());
    };

    CHECK(listed({.ids = {JobId{20}, JobId{23}}}) == Ids{20, 23});
    CHECK(listed({.group = GroupId{10}}) == Ids{21, 24});
    CHECK(listed({.kind = "webhook"}) == Ids{22});
    CHECK(listed({.states = {JobState::queued, JobState::failed}}) == Ids{20, 22, 23});
    CHECK(listed({.owner = "bob"}) == Ids{22});
    CHECK(listed({.collection = "docs"}) == Ids{21, 24});
    CHECK(listed({.kind = "scrape", .states = {JobState::queued}, .owner = "ann"}) == Ids{20});
    CHECK(listed({.kind = "nothing"}).empty());
}

TEST_CASE_TEMPLATE("age is counted from the end of a job, or from its beginning if it has not ended",
                   Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    database.job(20, JobState::queued);
    database.done(21, JobState::completed, "NULL", (now - std::chrono::minutes(10)).count());
    database.done(22, JobState::completed, "NULL", (now - std::chrono::hours(3)).count());

    CHECK(ids(database.reader->jobs({.filter = {.older_than = std::chrono::hours(1)}}).value()) ==
          Ids{20, 22});
}

TEST_CASE_TEMPLATE("URLs are jobs of kind fetch_page, listed when asked for by kind, group or id", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.job(11, JobState::queued, "10");
    database.url(12, 10, UrlState::completed);
    database.url(13, 10, UrlState::queued);
    database.lease_url(13);
    database.url(14, 10, UrlState::skipped, SkipReason::robots);

    CHECK(ids(database.reader->jobs({}).value()) == Ids{11});
    CHECK(ids(database.reader->jobs({.filter = {.group = GroupId{10}}}).value()) == Ids{11, 12, 13, 14});
    const auto urls = database.reader->jobs({.filter = {.kind = "fetch_page"}}).value();
    REQUIRE(ids(urls) == Ids{12, 13, 14});
    CHECK(urls[0].state == JobState::completed);
    CHECK(urls[0].url == "https://a.example/12");
    CHECK(urls[0].group == GroupId{10});
    CHECK(urls[0].created_at == Timestamp(std::chrono::milliseconds(1'000)));
    CHECK(urls[1].state == JobState::running);
    CHECK(urls[2].state == JobState::completed);
    CHECK(database.reader->job(JobId{13}).value().kind == "fetch_page");
    CHECK(database.reader->job(JobId{99}).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("changes that wait to be indexed are jobs of kind embed_page", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10, .owner = 2});
    database.change({.id = 31, .group = "10", .last_error = "'no model'"});
    database.change({.id = 32, .state = JobState::failed, .collection = "blog"});

    const auto jobs = database.reader->jobs({.filter = {.kind = "embed_page"}}).value();

    REQUIRE(ids(jobs) == Ids{31, 32});
    CHECK(jobs[0].state == JobState::queued);
    CHECK(jobs[0].owner == "bob");
    CHECK(jobs[0].last_error == "no model");
    CHECK(jobs[0].url == "https://a.example/31");
    CHECK(jobs[1].state == JobState::failed);
    CHECK(ids(database.reader->jobs({.filter = {.kind = "embed_page", .collection = "blog"}}).value()) ==
          Ids{32});
    CHECK(database.reader->job(JobId{31}).value().kind == "embed_page");
    CHECK(ids(database.reader->jobs({.filter = {.group = GroupId{10}}}).value()).empty());
}

TEST_CASE_TEMPLATE("jobs are counted by kind and state, URLs by the counters of their groups", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.group({.id = 11, .state = JobState::cancelled});
    database.sql("UPDATE grp SET discovered = 30, queued = 0, running = 0 WHERE id = 11");
    database.job(20, JobState::queued);
    database.job(21, JobState::queued);
    database.lease_job(21);
    database.done(22, JobState::failed);
    database.sql("INSERT INTO outbox_count VALUES (10, 'docs', 1, 0, 0, 0, 0, '')");
    database.change({.id = 31, .group = "10"});

    const auto counts = database.reader->job_counts({}).value();

    CHECK(count_of(counts, "scrape", JobState::queued) == 1);
    CHECK(count_of(counts, "scrape", JobState::running) == 1);
    CHECK(count_of(counts, "scrape", JobState::failed) == 1);
    CHECK(count_of(counts, "fetch_page", JobState::queued) == 3);
    CHECK(count_of(counts, "fetch_page", JobState::cancelled) == 30 - 5 - 6 - 7);
    CHECK(count_of(counts, "fetch_page", JobState::completed) == 2 * (5 + 7));
    CHECK(count_of(counts, "embed_page", JobState::queued) == 1);
    const auto queued = database.reader->job_counts({.states = {JobState::queued}}).value();
    CHECK(queued.size() == 3);
    CHECK(database.reader->job_counts({.kind = "embed_page"}).value().size() == 1);
}

TEST_CASE_TEMPLATE("URLs of a crawl are listed in order of discovery, by state and reason", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10});
    database.group({.id = 12});
    database.url(11, 10, UrlState::completed);
    database.url(13, 12, UrlState::completed);
    database.url(14, 10, UrlState::queued);
    database.url(15, 10, UrlState::skipped, SkipReason::robots);
    database.url(16, 10, UrlState::queued);
    database.lease_url(16);
    const auto listed = [&](UrlQuery page) { return ids(database.reader->urls(page).value()); };

    CHECK(listed({.group = GroupId{10}}) == Ids{11, 14, 15, 16});
    CHECK(listed({.group = GroupId{10}, .states = {UrlState::running}}) == Ids{16});
    CHECK(listed({.group = GroupId{10}, .states = {UrlState::queued, UrlState::completed}}) == Ids{11, 14});
    CHECK(listed({.group = GroupId{10}, .skipped = SkipReason::robots}) == Ids{15});
    CHECK(listed({.group = GroupId{10}, .after = JobId{14}}) == Ids{15, 16});
    CHECK(listed({.group = GroupId{10}, .limit = 2}) == Ids{11, 14});
    CHECK(listed({.group = GroupId{99}}).empty());
}

TEST_CASE_TEMPLATE("what still waits when a crawl is over has been skipped, or cancelled with it", Database,
                   EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.group({.id = 10, .state = JobState::completed, .last_id = "11"});
    database.url(11, 10, UrlState::queued);
    database.group({.id = 20, .state = JobState::cancelled, .last_id = "21"});
    database.url(21, 20, UrlState::queued);

    const auto skipped = database.reader->urls({.group = GroupId{10}}).value();
    const auto cancelled = database.reader->urls({.group = GroupId{20}}).value();

    REQUIRE(skipped.size() == 1);
    CHECK(skipped[0].state == UrlState::skipped);
    CHECK(skipped[0].skipped == SkipReason::limit);
    REQUIRE(cancelled.size() == 1);
    CHECK(cancelled[0].state == UrlState::cancelled);
    CHECK(cancelled[0].skipped == SkipReason::none);
    CHECK(database.reader->job(JobId{11}).value().state == JobState::completed);
    CHECK(database.reader->job(JobId{21}).value().state == JobState::cancelled);
}

TEST_CASE_TEMPLATE("workers are listed with what they run", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.worker(1, "here", 5'000);
    database.worker(2, "there", 6'000);
    database.job(20, JobState::queued);
    database.lease_job(20, 2);

    const auto workers = database.reader->workers().value();

    REQUIRE(workers.size() == 2);
    CHECK(workers[0].running == 0);
    CHECK(workers[1].name == "there");
    CHECK(workers[1].running == 1);
    CHECK(workers[1].beat_at == Timestamp(std::chrono::milliseconds(6'000)));
}

TEST_CASE_TEMPLATE("schedules are listed with the job they add", Database, EVERY_DATABASE) {
    Database database;
    if (!database.is_there()) return;
    database.sql(
        R"(INSERT INTO schedule VALUES ('nightly', '0 3 * * *', '[{"kind":"scrape"}]', NULL, 7000))");

    const auto schedules = database.reader->schedules().value();

    REQUIRE(schedules.size() == 1);
    CHECK(schedules[0].name == "nightly");
    CHECK(schedules[0].job.kind == "scrape");
    CHECK_FALSE(schedules[0].group);
    CHECK(schedules[0].next_at == Timestamp(std::chrono::milliseconds(7'000)));
}

}  // namespace quarry::store
