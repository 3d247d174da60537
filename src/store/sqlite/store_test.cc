// What only the embedded store promises: about its file, its disk, and the death of its process.
#include "store/sqlite/store.h"

#include <csignal>
#include <limits>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/sqlite.h"
#include "servers/temporary_folder.h"

namespace quarry::store {

namespace {

using namespace std::chrono_literals;

struct Fixture {
    test::TemporaryFolder folder;
    std::string path = folder.file("quarry.db");

    std::unique_ptr<Store> open(StoreLimits limits = {}) {
        return open_sqlite_store({.path = path, .limits = limits}).value();
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a handler that had begun when the process was killed counts as a stall") {
    const pid_t child = ::fork();
    if (child == 0) {
        const auto store = open();
        (void)store->add({{.kind = "work"}, {.kind = "work"}});
        const WorkerId worker = store->register_worker("doomed").value();
        const auto jobs = store->lease({.worker = worker, .kinds = {{"work", 2}}}).value().jobs;
        store->begin(jobs.at(0).lease);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));

    const auto store = open();
    const auto reader = open_sqlite_reader(path).value();

    const auto jobs = reader->jobs({}).value();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].state == JobState::queued);
    CHECK(jobs[0].stalls == 1);
    CHECK(jobs[1].stalls == 0);
}

TEST_CASE_FIXTURE(Fixture, "what was rolled back leaves no trace in what is counted later") {
    const auto store = open();
    const auto reader = open_sqlite_reader(path).value();
    const GroupId group =
        store->add_group({}, {}, {{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"}}).value();
    const WorkerId worker = store->register_worker("worker").value();
    const LeaseRef lease = store->lease({.worker = worker, .urls = 1}).value().urls.at(0).lease;
    store->begin(lease);
    auto other = db::Connection::open(path, db::Access::write).value();
    REQUIRE(
        other.execute("CREATE TRIGGER broken BEFORE INSERT ON usage BEGIN SELECT RAISE(ABORT, 'no'); END"));
    for (int time = 0; time < 3; ++time) CHECK_FALSE(store->finish({{lease, {.end = Completed{}}}}));
    REQUIRE(other.execute("DROP TRIGGER broken"));

    SUBCASE("pages that an owner had fetched") {
        CHECK(store->finish({{lease, {.end = Completed{}}}}).value().at(0) == Verdict::applied);
        CHECK(reader->usage("local", {}).value().at(0).pages == 1);
    }
    SUBCASE("whether a handler had begun") {
        REQUIRE(store->retire_worker(worker));
        CHECK(reader->urls({.group = group}).value().at(0).stalls == 1);
    }
}

TEST_CASE_FIXTURE(Fixture, "what was acknowledged is there after the process was killed") {
    const pid_t child = ::fork();
    if (child == 0) {
        const auto store = open();
        for (int count = 0; count < 20; ++count) (void)store->add({{.kind = "work"}});
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);

    const auto store = open();

    CHECK(open_sqlite_reader(path).value()->jobs({}).value().size() == 20);
}

TEST_CASE_FIXTURE(Fixture, "a disk with too little room takes no new work, but what is done is still taken") {
    const auto roomy = open({.low_disk_bytes = 0});
    REQUIRE(roomy->add({{.kind = "work"}}));
    const WorkerId worker = roomy->register_worker("w").value();
    REQUIRE(worker != WorkerId{});

    test::TemporaryFolder other;
    const auto full =
        open_sqlite_store({.path = other.file("quarry.db"),
                           .limits = {.low_disk_bytes = std::numeric_limits<std::int64_t>::max()}})
            .value();

    const auto refused = full->add({{.kind = "work"}});
    CHECK(refused.error().code == ErrorCode::unavailable);
    CHECK(refused.error().message.find("are free on " + other.path()) != std::string::npos);
    CHECK(full->add_group({}, {}, {}).error().code == ErrorCode::unavailable);
    CHECK(full->lease({.worker = full->register_worker("w").value()}).error().code == ErrorCode::unavailable);
    CHECK(full->finish({{{JobId{1}, Token{1}}, {}}}).value().at(0) == Verdict::conflict);
}

TEST_CASE_FIXTURE(Fixture, "a backup is a whole database, taken while work goes on") {
    const auto store = open();
    REQUIRE(store->add(std::vector<NewJob>(500, NewJob{.kind = "work"})));

    REQUIRE(store->backup(folder.file("copy.db")));
    REQUIRE(store->add({{.kind = "work"}}));

    CHECK(open_sqlite_reader(folder.file("copy.db")).value()->jobs({.limit = 1'000}).value().size() == 500);
    CHECK(store->backup(folder.file("copy.db")).error().code == ErrorCode::conflict);
}

TEST_CASE_FIXTURE(Fixture, "a file that is no database of ours is refused and left as it was") {
    const std::string text = folder.write("notes.txt", "just some notes, nothing to see here");

    const auto refused = open_sqlite_store({.path = text});

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::corrupt);
    CHECK(test::read_file(text) == "just some notes, nothing to see here");
}

TEST_CASE_FIXTURE(Fixture, "the salt of public ids stays the same") {
    const std::uint64_t salt = open()->salt();

    CHECK(salt != 0);
    CHECK(open()->salt() == salt);
}

TEST_CASE_FIXTURE(Fixture, "the log is emptied while nothing else is to be done") {
    const auto store = open();
    for (int count = 0; count < 40; ++count) {
        REQUIRE(
            store->add(std::vector<NewJob>(200, NewJob{.kind = "work", .payload = std::string(2'000, 'x')})));
    }

    // 16 MB were written; the log is moved into the file every 16 MB or so, and begins anew then.
    CHECK(std::filesystem::file_size(path + "-wal") < 48u << 20);
}

}  // namespace quarry::store
