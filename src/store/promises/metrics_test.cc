// What transactional stores promise about metrics: where the time of pages and crawls went, and what was
// asked for.
#include "store/promises/backend.h"
#include "store/rows/pages.h"

namespace quarry::store::promises {

namespace {

using std::chrono::microseconds;

FoundUrl url(std::uint64_t key) {
    return {.url = "https://a.example/" + std::to_string(key), .key = {1, key}, .host = "a.example"};
}

PageWrite page(const UrlLease& lease) {
    return {.key = lease.key,
            .facts = {.url = lease.url, .final_url = lease.url, .status = 200, .content_hash = 1},
            .content = pack({.markdown = "words", .details = "{}"}).value()};
}

// A crawl of two pages, of which the second took longer.
GroupId crawl_two(Backend& backend, NewGroup group = {}) {
    group.name = "https://a.example/";
    const GroupId id = backend.store->add_group(std::move(group), {}, {url(1), url(2)}).value();
    int slowness = 0;
    for (const UrlLease& lease : backend.lease_urls(2)) {
        slowness += 1'000;
        backend.clock.advance(1s);
        backend.finish(lease.lease, {.status = 200,
                                     .pages = {page(lease)},
                                     .timings = {.fetch = microseconds(slowness), .extract = 10us}});
    }
    return id;
}

void index(Backend& backend) {
    for (const ChangeLease& change : backend.lease_for({.changes = 10}).changes) {
        backend.finish(
            change.lease,
            {.timings = {.chunk = 1'000us, .embed = 2'000us, .index = 3'000us, .chunks = 5, .note = "cut"}});
    }
}

}  // namespace

TEST_CASE_TEMPLATE("a crawl knows where its time went, also what was spent after it was over", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl_two(backend);
    CHECK(backend.group(group).is_over());
    CHECK(backend.group(group).timings.fetch == 3'000us);
    CHECK(backend.group(group).timings.extract == 20us);
    CHECK(backend.group(group).counters.indexed == 0);

    index(backend);
    backend.restart();

    const Group after = backend.group(group);
    CHECK(after.counters.indexed == 2);
    CHECK(after.counters.index_failed == 0);
    CHECK(after.counters.chunks == 10);
    CHECK(after.timings.chunk == 2'000us);
    CHECK(after.timings.embed == 4'000us);
    CHECK(after.timings.index == 6'000us);
    CHECK(backend.reader->timings(group).value() == after.timings);
    CHECK(backend.reader->timings(GroupId{999}).error().code == ErrorCode::not_found);
}

TEST_CASE_TEMPLATE("pages that the index was given up on are counted while they have not been cleared",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl_two(backend);
    const auto changes = backend.lease_for({.changes = 10}).changes;
    backend.finish(changes.at(0).lease, {.end = Failed{"no"}, .timings = {.chunk = 7us}});
    backend.finish(changes.at(1).lease);

    CHECK(backend.group(group).counters.indexed == 1);
    CHECK(backend.group(group).counters.index_failed == 1);
    CHECK(backend.group(group).timings.chunk == 7us);
    REQUIRE(backend.store->clear({.kind = "embed_page", .states = {JobState::failed}}));
    CHECK(backend.group(group).counters.index_failed == 0);
}

TEST_CASE_TEMPLATE("an outcome whose lease is lost adds no time", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl_two(backend);
    const auto lost = backend.lease_for({.changes = 1}).changes.at(0);
    backend.clock.advance(61s);
    backend.lease_for({.changes = 1}, "second");

    CHECK(backend.finish(lost.lease, {.timings = {.embed = 9us}}) == Verdict::conflict);

    CHECK(backend.group(group).timings.embed == 0us);
    CHECK(backend.group(group).counters.indexed == 0);
}

TEST_CASE_TEMPLATE("the slowest pages of a crawl come first, with their stages", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group = crawl_two(backend);
    index(backend);

    const auto slowest = backend.reader->slowest_pages(group, 10).value();

    REQUIRE(slowest.size() == 2);
    CHECK(slowest[0].url == "https://a.example/2");
    CHECK(slowest[0].timings == Timings{.fetch = 2'000us,
                                        .extract = 10us,
                                        .chunk = 1'000us,
                                        .embed = 2'000us,
                                        .index = 3'000us,
                                        .chunks = 5,
                                        .note = "cut"});
    CHECK(slowest[1].timings.fetch == 1'000us);
    CHECK(backend.reader->slowest_pages(group, 1).value().size() == 1);
    CHECK(backend.reader->slowest_pages(GroupId{999}, 10).value().empty());
}

TEST_CASE_TEMPLATE("every operation has a session, the newest first, and a crawl's is its group", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const Timestamp before = backend.clock.now();
    const Session search{.job = JobId{7},
                         .operation = "search",
                         .base_url = "how to install",
                         .owner = "ann",
                         .started_at = before,
                         .completed_at = before + 20ms,
                         .success = true,
                         .counts = {.total_urls = 1, .embedding = 5ms, .bm25 = 7ms, .duration = 20ms},
                         .extra = R"({"hits":10})",
                         .error = "slow"};
    REQUIRE(backend.store->add_session(search));
    backend.clock.advance(1min);
    const GroupId group = crawl_two(backend);
    index(backend);

    const auto sessions = backend.reader->sessions({}).value();

    REQUIRE(sessions.size() == 2);
    CHECK(sessions[0].operation == "crawl");
    CHECK(sessions[0].group == group);
    CHECK(sessions[0].base_url == "https://a.example/");
    CHECK(sessions[0].success);
    CHECK(sessions[0].counts.total_urls == 2);
    CHECK(sessions[0].counts.completed_urls == 2);
    CHECK(sessions[0].counts.pages_indexed == 2);
    CHECK(sessions[0].counts.chunks == 10);
    CHECK(sessions[0].counts.fetch == 3ms);
    CHECK(sessions[0].counts.embedding == 4ms);
    CHECK(sessions[0].counts.index == 6ms);
    CHECK(sessions[0].counts.duration == 2s);
    CHECK(sessions[1].operation == "search");
    CHECK(sessions[1].job == JobId{7});
    CHECK(sessions[1].owner == "ann");
    CHECK(sessions[1].completed_at == before + 20ms);
    CHECK(sessions[1].counts == search.counts);
    CHECK(sessions[1].extra == search.extra);
    CHECK(sessions[1].error == "slow");
}

TEST_CASE_TEMPLATE("sessions are listed by operation, time and number", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const Timestamp start = backend.clock.now();
    for (int minute = 0; minute < 5; ++minute) {
        REQUIRE(backend.store->add_session({.operation = minute % 2 == 0 ? "search" : "map",
                                            .started_at = start + std::chrono::minutes(minute)}));
    }
    const auto count = [&](const SessionFilter& filter) {
        return backend.reader->sessions(filter).value().size();
    };

    CHECK(count({.operation = "search"}) == 3);
    CHECK(count({.since = start + 3min}) == 2);
    CHECK(count({.before = start + 3min}) == 3);
    CHECK(count({.limit = 2}) == 2);
    CHECK(count({.operation = "crawl"}) == 0);
}

TEST_CASE_TEMPLATE("old sessions become one row per day and operation", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const Timestamp day = Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 1 / 5));
    for (int hour = 0; hour < 30; hour += 3) {
        REQUIRE(backend.store->add_session({.operation = "search",
                                            .base_url = "secret",
                                            .started_at = day + std::chrono::hours(hour),
                                            .success = hour > 0,
                                            .counts = {.total_urls = 2, .bm25 = 3ms}}));
    }
    REQUIRE(backend.store->add_session({.operation = "map", .started_at = day}));
    backend.clock.advance(day + 31 * 24h - backend.clock.now());

    CHECK(backend.store->sweep({.metrics = 30 * 24h}, 1s).value().sessions == 9);
    backend.clock.advance(24h);
    CHECK(backend.store->sweep({.metrics = 30 * 24h}, 1s).value().sessions == 2);

    CHECK(backend.reader->sessions({}).value().empty());
    const auto days = backend.reader->session_days(10).value();
    REQUIRE(days.size() == 3);
    CHECK(days[0].day == day + 24h);
    CHECK(days[0].sessions == 2);
    CHECK(days[1].operation == "map");
    CHECK(days[2].day == day);
    CHECK(days[2].operation == "search");
    CHECK(days[2].sessions == 8);
    CHECK(days[2].successes == 7);
    CHECK(days[2].counts.total_urls == 16);
    CHECK(days[2].counts.bm25 == 24ms);
    CHECK(backend.reader->session_days(1).value().size() == 1);
}

TEST_CASE_TEMPLATE("a crawl that is removed by age leaves its numbers to its day", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    crawl_two(backend);
    index(backend);
    crawl_two(backend, {.zero_retention = true});
    backend.clock.advance(31 * 24h);

    while (backend.store->sweep({}, 1s).value().groups > 0) {
    }

    CHECK(backend.reader->sessions({}).value().empty());
    const auto days = backend.reader->session_days(10).value();
    REQUIRE(days.size() == 1);
    CHECK(days[0].operation == "crawl");
    CHECK(days[0].sessions == 1);
    CHECK(days[0].counts.pages_indexed == 2);
    CHECK(days[0].counts.chunks == 10);
}

}  // namespace quarry::store::promises
