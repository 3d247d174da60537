// Programs that are killed at any moment, and workers that are thought dead and are not.
#include <algorithm>
#include <chrono>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include "effort.h"
#include "servers/temporary_folder.h"
#include "store/consistency.h"
#include "store/finish_all.h"
#include "store/rows/pages.h"
#include "store/sqlite/store.h"
#include "store/working_child.h"

namespace quarry::test {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Lets a child live until it has told of so many promises, or for so long, then kills it. False if it ended
// by itself.
bool live_and_die(WorkingChild& child, std::size_t enough, milliseconds life,
                  std::vector<Promise>& promises) {
    const auto end = steady_clock::now() + life;
    const std::size_t before = promises.size();
    while (steady_clock::now() < end && promises.size() - before < enough) {
        const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
        pollfd waiting{.fd = child.output(), .events = POLLIN, .revents = 0};
        if (poll(&waiting, 1, static_cast<int>(left.count()) + 1) > 0 && !child.read_promises(promises))
            break;
    }
    return child.kill(promises);
}

std::string problems(const std::string& database, const std::vector<Promise>& promises) {
    db::Connection connection = db::Connection::open(database, db::Access::write).value();
    std::vector<std::string> sentences = broken_promises(connection, promises);
    for (std::string& sentence : inconsistencies(connection)) sentences.push_back(std::move(sentence));
    return fmt::format("{}", fmt::join(sentences, "\n"));
}

// Pages that were to be indexed, and whose last change neither completed nor failed. Some crawls index
// nothing; what is kept was written to be indexed each time.
std::int64_t pages_never_indexed(const std::string& database) {
    db::Connection connection = db::Connection::open(database, db::Access::write).value();
    return connection
        .integer(
            "SELECT count(*) FROM page LEFT JOIN outbox ON outbox.id = page.outbox"
            " WHERE page.outbox IS NOT NULL AND (outbox.state IS NULL OR outbox.state NOT IN (2, 3)"
            " OR (outbox.version <> page.version AND page.collection = 'kept'))")
        .value()
        .value_or(-1);
}

}  // namespace

TEST_CASE("a program killed at 160 random moments loses nothing it promised and does nothing twice") {
    const TemporaryFolder folder;
    const std::string database = folder.file("quarry.db");
    std::mt19937_64 random(20'261);
    std::vector<Promise> promises;
    for (std::uint64_t life = 1; life <= rounds(160); ++life) {
        WorkingChild child(database, life);
        // Some die while they open the database, most at work.
        const bool dies_early = random() % 8 == 0;
        const milliseconds longest = dies_early ? milliseconds(random() % 20) : milliseconds(20'000);
        REQUIRE(live_and_die(child, random() % 60, longest, promises));
        INFO("after kill ", life);
        if (life % 20 == 0) REQUIRE(problems(database, promises) == "");
    }
    CHECK(promises.size() > 2'000);

    // Who comes next gives back what the dead had leased, and can finish everything.
    auto store = store::open_sqlite_store({.path = database, .limits = {.low_disk_bytes = 0}}).value();
    auto reader = store::open_sqlite_reader(database).value();
    CHECK(reader->jobs({.filter = {.states = {JobState::running}}}).value().empty());
    const auto paused = reader->groups({.states = {JobState::paused}, .limit = 100'000}).value();
    for (const Group& group : paused) REQUIRE(store->resume(group.id));
    finish_all(*store);
    CHECK(
        reader->groups({.states = {JobState::queued, JobState::running, JobState::paused}}).value().empty());
    CHECK(reader->jobs({.filter = {.states = {JobState::queued, JobState::running}}}).value().empty());
    const store::OutboxCounts changes = reader->outbox_counts("", {}).value();
    CHECK(changes.pending + changes.processing == 0);
    CHECK(changes.completed > 100);
    CHECK(pages_never_indexed(database) == 0);
    CHECK(problems(database, promises) == "");
}

TEST_CASE("a worker that was thought dead and finishes late changes nothing") {
    const TemporaryFolder folder;
    const std::string database = folder.file("quarry.db");
    ManualClock clock;
    auto store =
        store::open_sqlite_store({.path = database, .limits = {.low_disk_bytes = 0}, .clock = &clock})
            .value();
    const FoundUrl seed{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"};
    const GroupId group = store->add_group({.site = "a.example"}, {}, {seed}).value();
    const WorkerId frozen = store->register_worker("frozen").value();
    const auto lost = store->lease({.worker = frozen, .urls = 1}).value().urls.at(0);
    store->begin(lost.lease);
    clock.advance(std::chrono::seconds(61));
    const WorkerId other = store->register_worker("other").value();
    const auto rescued = store->lease({.worker = other, .urls = 1}).value().urls.at(0);
    const auto page = [](std::uint64_t hash) {
        PageWrite write{.key = {1, 1},
                        .facts = {.url = "https://a.example/", .status = 200, .content_hash = hash}};
        write.content = store::pack({.markdown = "words"}).value();
        return store::Outcome{.end = store::Completed{}, .pages = {write}};
    };

    const auto late = store->finish({{lost.lease, page(1)}}).value();
    const auto right = store->finish({{rescued.lease, page(2)}}).value();
    const auto later = store->finish({{lost.lease, page(1)}}).value();

    CHECK(rescued.lease.id == lost.lease.id);
    CHECK(late.at(0) == store::Verdict::conflict);
    CHECK(right.at(0) == store::Verdict::applied);
    CHECK(later.at(0) == store::Verdict::conflict);
    CHECK(store->finish({{rescued.lease, page(2)}}).value().at(0) == store::Verdict::already_applied);
    const auto reader = store::open_sqlite_reader(database).value();
    CHECK(reader->pages({.group = group}).value().pages.size() == 1);
    CHECK(reader->pages({}).value().pages.at(0).facts.content_hash == 2);
    CHECK(store->beat(frozen, {}).value() == std::vector<JobId>{lost.lease.id});
    CHECK(problems(database, {}) == "");
}

}  // namespace quarry::test
