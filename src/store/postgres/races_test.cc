// What happens when two callers act at the same moment, or when the server dies at the worst moment. A gate
// in the database makes such moments last: a transaction waits at the gate before its commit until the test
// opens the gate.
#include <future>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "servers/postgres.h"
#include "servers/tcp_proxy.h"
#include "store/postgres/store.h"
#include "store/rows/pages.h"

namespace quarry::store {

namespace {

using namespace std::chrono_literals;
using test::Postgres;

class Gate {
public:
    // The gate stands before the commit of a transaction that inserts rows into this table.
    Gate(const std::string& url, const std::string& table)
        : sql_(db::PgConnection::open({.url = url}).value()) {
        sql_.execute(fmt::format(R"sql(
            create function public.wait_at_gate() returns trigger language plpgsql as
                $$ begin perform pg_advisory_xact_lock_shared(77); return null; end $$;
            create constraint trigger gate after insert on {} deferrable initially deferred
                for each row execute function public.wait_at_gate();
            select pg_advisory_lock(77))sql",
                                 table))
            .value();
    }
    void open() { sql_.execute("select pg_advisory_unlock_all()").value(); }

    // The first returns once a transaction waits at the gate, the second once a transaction waits for a row
    // that another one has locked.
    void await_somebody() { await("locktype = 'advisory'"); }
    void await_another() { await("locktype in ('transactionid', 'tuple')"); }

    std::int64_t number(const std::string& query) { return sql_.query(query).value().integer(0, 0); }

private:
    void await(const std::string& kind) {
        while (number("select count(*) from pg_locks where not granted and " + kind) == 0) continue;
    }
    db::PgConnection sql_;
};

struct Place {
    std::unique_ptr<Postgres> server = Postgres::start({.fsync = false});
    std::string url = server ? server->url(server->create_database()) : "";
    ManualClock clock;

    std::unique_ptr<Store> open(const std::string& through = {}) {
        return open_postgres_store({.database = {.url = through.empty() ? url : through}, .clock = &clock})
            .value();
    }
    std::unique_ptr<Reader> reader() { return open_postgres_reader({.url = url}).value(); }
};

#define PLACE(place)                                     \
    Place place;                                         \
    if (!place.server) {                                 \
        MESSAGE("skipped: PostgreSQL is not installed"); \
        return;                                          \
    }

std::vector<JobLease> lease(Store& store, WorkerId worker, int slots = 10) {
    return store.lease({.worker = worker, .kinds = {{"work", slots}}}).value().jobs;
}

}  // namespace

TEST_CASE("a job that is claimed while its group is cancelled is cancelled with it") {
    PLACE(place);
    const auto claiming = place.open(), cancelling = place.open();
    const auto reader = place.reader();
    const GroupId group = claiming->add_group({}, {{.kind = "work"}}, {}).value();
    const WorkerId worker = claiming->register_worker("claims").value();
    Gate gate(place.url, "quarry.lease");
    auto claimed = std::async(std::launch::async, [&] { return lease(*claiming, worker); });
    gate.await_somebody();

    auto cancelled = std::async(std::launch::async, [&] { return cancelling->cancel(group); });
    gate.await_another();
    gate.open();

    const std::vector<JobLease> jobs = claimed.get();
    REQUIRE(jobs.size() == 1);
    REQUIRE(cancelled.get());
    CHECK(reader->job(jobs[0].lease.id)->state == JobState::cancelled);
    CHECK(reader->group(group)->counters.jobs_open == 0);
    CHECK(claiming->finish({{jobs[0].lease, {}}}).value().at(0) == Verdict::conflict);
}

TEST_CASE("a job whose owner has a place again is cancelled with its group, and so it is paused") {
    bool pauses = false;
    SUBCASE("cancelled") {}
    SUBCASE("paused") {
        pauses = true;
    }
    PLACE(place);
    const auto promoting = place.open(), stopping = place.open();
    const auto reader = place.reader();
    REQUIRE(promoting->set_limits("ann", {.running_jobs = 1}));
    const GroupId group =
        promoting->add_group({.owner = "ann"}, {{.kind = "work"}, {.kind = "work"}}, {}).value();
    const WorkerId worker = promoting->register_worker("first").value();
    REQUIRE(lease(*promoting, worker).size() == 1);
    Gate gate(place.url, "quarry.ready");
    REQUIRE(gate.number("select count(*) from quarry.parked where reason = 2") == 1);
    auto promoted = std::async(std::launch::async, [&] { return promoting->set_limits("ann", {}); });
    gate.await_somebody();

    auto stopped = std::async(std::launch::async,
                              [&] { return pauses ? stopping->pause(group) : stopping->cancel(group); });
    gate.await_another();
    gate.open();

    REQUIRE(promoted.get());
    REQUIRE(stopped.get());
    CHECK(gate.number("select count(*) from quarry.ready") == 0);
    CHECK(reader->group(group)->counters.jobs_open == (pauses ? 2 : 0));
    CHECK(lease(*promoting, worker).empty());
}

TEST_CASE("a page that a crawl meets while another one, which had it, is removed stays") {
    PLACE(place);
    const auto store = place.open();
    const auto reader = place.reader();
    const NewGroup crawl{
        .index_pages = false, .keeping = Keeping{24h, 24h}, .page_keeping = PageKeeping::with_group};
    const FoundUrl url{.url = "https://a.example/", .key = {1, 1}, .host = "a.example"};
    const auto meet = [&](GroupId& group) {
        const WorkerId worker = store->register_worker("crawls").value();
        group = store->add_group(crawl, {}, {url}).value();
        const auto leased = store->lease({.worker = worker, .urls = 1}).value().urls;
        REQUIRE(leased.size() == 1);
        Outcome outcome{.status = 200};
        outcome.pages = {{.key = url.key,
                          .facts = {.url = url.url, .status = 200, .content_hash = 1},
                          .content = pack({.markdown = "words", .details = "{}"}).value()}};
        return Finished{leased[0].lease, std::move(outcome)};
    };
    GroupId first{}, second{};
    REQUIRE(store->finish({meet(first)}).value().at(0) == Verdict::applied);
    place.clock.advance(25h);
    Finished again = meet(second);
    Gate gate(place.url, "quarry.result");
    auto finished = std::async(std::launch::async, [&] { return store->finish({std::move(again)}); });
    gate.await_somebody();

    auto swept = std::async(std::launch::async, [&] { return store->sweep({}, 1s); });
    gate.await_another();
    gate.open();

    REQUIRE(finished.get().value().at(0) == Verdict::applied);
    REQUIRE(swept.get());
    CHECK_FALSE(reader->group(first));
    CHECK(reader->page("default", url.key).value());
}

TEST_CASE("a change that ends while it is being cancelled has ended") {
    PLACE(place);
    const auto store = place.open();
    const auto reader = place.reader();
    PageBatch batch;
    batch.pages = {{.key = {1, 1},
                    .facts = {.url = "https://a.example/", .status = 200, .content_hash = 1},
                    .content = pack({.markdown = "words", .details = "{}"}).value()}};
    REQUIRE(store->write_pages(std::move(batch)));
    const WorkerId worker = store->register_worker("indexes").value();
    const auto changes = store->lease({.worker = worker, .changes = 1}).value().changes;
    REQUIRE(changes.size() == 1);
    const LeaseRef lease = changes[0].lease;
    Gate gate(place.url, "quarry.operation");
    auto finished = std::async(std::launch::async, [&] { return store->finish({{lease, {}}}); });
    gate.await_somebody();

    auto cancelled =
        std::async(std::launch::async, [&] { return store->cancel(JobFilter{.ids = {lease.id}}); });
    gate.await_another();
    gate.open();

    REQUIRE(finished.get().value().at(0) == Verdict::applied);
    CHECK(cancelled.get().value() == 0);
    CHECK(reader->job(lease.id)->state == JobState::completed);
    const OutboxCounts counts = reader->outbox_counts("", {}).value();
    CHECK(counts.completed == 1);
    CHECK(counts.pending == 0);
}

TEST_CASE("what a worker is given while others think that it is dead is taken back when it is") {
    PLACE(place);
    const auto slow = place.open(), other = place.open();
    const WorkerId worker = slow->register_worker("slow").value();
    const WorkerId rescuer = other->register_worker("rescuer").value();
    const JobId job = slow->add({{.kind = "work"}}).value().at(0).id;
    Gate gate(place.url, "quarry.lease");
    auto claimed = std::async(std::launch::async, [&] { return lease(*slow, worker); });
    gate.await_somebody();
    place.clock.advance(61s);
    CHECK(lease(*other, rescuer).empty());

    gate.open();
    REQUIRE(claimed.get().size() == 1);

    place.clock.advance(61s);
    const std::vector<JobLease> rescued = lease(*other, rescuer);
    REQUIRE(rescued.size() == 1);
    CHECK(rescued[0].lease.id == job);
}

TEST_CASE("what a lease has taken whose answer was lost is given out again") {
    PLACE(place);
    test::TcpProxy proxy(place.server->port());
    const std::string database = place.url.substr(place.url.rfind('/'));
    const auto store = place.open(fmt::format("postgres://postgres@127.0.0.1:{}{}", proxy.port(), database));
    const WorkerId worker = store->register_worker("cut off").value();
    const JobId job = store->add({{.kind = "work"}}).value().at(0).id;
    Gate gate(place.url, "quarry.lease");
    auto first = std::async(std::launch::async,
                            [&] { return store->lease({.worker = worker, .kinds = {{"work", 1}}}); });
    gate.await_somebody();
    proxy.drop();
    CHECK_FALSE(first.get());
    gate.open();
    while (gate.number("select count(*) from quarry.lease") == 0) continue;
    proxy.forward();

    // The store leaves a database alone for a moment that it could not reach.
    std::vector<JobLease> jobs;
    while (jobs.empty()) {
        const auto again = store->lease({.worker = worker, .kinds = {{"work", 1}}});
        if (again) jobs = again->jobs;
        if (again) REQUIRE(jobs.size() == 1);
    }

    CHECK(jobs[0].lease.id == job);
    CHECK(store->finish({{jobs[0].lease, {}}}).value().at(0) == Verdict::applied);
}

TEST_CASE("one process removes what is old, and another one when that ends or is not heard of") {
    bool ends_in_order = false;
    SUBCASE("it ends") {
        ends_in_order = true;
    }
    SUBCASE("it is not heard of") {}
    PLACE(place);
    auto leader = place.open();
    const auto other = place.open();
    const WorkerId worker = other->register_worker("works").value();
    const auto end_a_job = [&] {
        REQUIRE(other->add({{.kind = "work"}}));
        REQUIRE(other->finish({{lease(*other, worker).at(0).lease, {}}}));
    };
    const Retention nothing_lasts{.completed_jobs = 0ms};
    end_a_job();
    CHECK(leader->sweep(nothing_lasts, 1s).value().jobs == 1);
    end_a_job();
    CHECK(other->sweep(nothing_lasts, 1s).value().jobs == 0);

    if (ends_in_order) leader.reset();
    if (!ends_in_order) place.clock.advance(11s);

    CHECK(other->sweep(nothing_lasts, 1s).value().jobs == 1);
}

TEST_CASE("who leads wakes what is due, and others do when it is late") {
    PLACE(place);
    const auto leader = place.open(), other = place.open();
    const WorkerId worker = other->register_worker("works").value();
    REQUIRE(leader->sweep({}, 0ms));
    REQUIRE(other->add({{.kind = "work", .run_at = place.clock.now() + 1s}}));
    place.clock.advance(1s);
    const Leased early = other->lease({.worker = worker, .kinds = {{"work", 1}}}).value();
    CHECK(early.jobs.empty());
    REQUIRE(early.next_due);
    CHECK(*early.next_due > place.clock.now());

    place.clock.advance(100ms);

    CHECK(lease(*other, worker).size() == 1);
}

TEST_CASE("a crawl that was locked when its turn came begins all the same") {
    const std::unique_ptr<Postgres> server = Postgres::start({.fsync = false});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const std::string url = server->url(server->create_database());
    const auto store = open_postgres_store({.database = {.url = url}}).value();
    const auto reader = open_postgres_reader({.url = url}).value();
    REQUIRE(store->set_limits("ann", {.running_groups = 1}));
    const GroupId first = store->add_group({.owner = "ann"}, {{.kind = "work"}}, {}).value();
    const GroupId second = store->add_group({.owner = "ann"}, {{.kind = "work"}}, {}).value();
    auto frozen = db::PgConnection::open({.url = url}).value();
    REQUIRE(frozen.execute("begin"));
    REQUIRE(frozen.query("select 1 from quarry.grp where id = $1 for update", db::PgValues(number(second))));
    REQUIRE(store->cancel(first));
    CHECK(reader->group(second)->state == JobState::queued);

    REQUIRE(frozen.execute("rollback"));

    while (reader->group(second)->state != JobState::running)
        (void)store->wait_for_change(0, store->now() + 1s, {});
}

TEST_CASE(
    "a job is promised only once it is written, also when the server crashes and counts on from before it") {
    // With these settings nothing else writes to disk by chance what the crash is meant to lose.
    const std::unique_ptr<Postgres> server =
        Postgres::start({.settings = "wal_writer_delay = 10s\nfull_page_writes = off\nautovacuum = off"});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const std::string url = server->url(server->create_database());
    const auto store = open_postgres_store({.database = {.url = url}}).value();
    REQUIRE(store->add({{.kind = "work"}}));
    Gate gate(url, "quarry.ready");
    auto added = std::async(std::launch::async, [&] { return store->add({{.kind = "work"}}); });
    gate.await_somebody();
    server->kill();  // this also opens the gate for later transactions
    server->restart();
    auto others = db::PgConnection::open({.url = url}).value();
    for (int count = 0; count < 1'000; ++count) REQUIRE(others.query("select pg_current_xact_id()"));

    const auto promised = added.get();

    const auto rows = others.query("select count(*) from quarry.ready").value();
    CHECK(rows.integer(0, 0) == (promised ? 2 : 1));
    CHECK(promised);
}

}  // namespace quarry::store
