// How days come and go. Every test has a database of its own, since days stay in it.
#include "store/postgres/partitions.h"

#include <array>
#include <future>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/postgres/migration.h"
#include "servers/postgres.h"
#include "store/postgres/schema/ids.h"
#include "store/postgres/schema/later_versions.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/schema/version_1.h"
#include "store/postgres/store.h"
#include "store/postgres/upkeep.h"

namespace quarry::store {

namespace {

using namespace std::chrono_literals;

// The clock begins at 2025-10-09 08:53:20 UTC.
struct Place {
    std::string url = test::Postgres::shared()->url(test::Postgres::shared()->create_database());
    ManualClock clock;
    std::unique_ptr<db::PgConnection> connection =
        std::make_unique<db::PgConnection>(db::PgConnection::open({.url = url}).value());
    std::unique_ptr<Store> store{};
    std::unique_ptr<Reader> reader{};
    WorkerId worker{};

    Place& open() {
        store = open_postgres_store({.database = {.url = url}, .clock = &clock}).value();
        reader = open_postgres_reader({.url = url}).value();
        worker = store->register_worker("works").value();
        return *this;
    }

    db::PgRows sql(const std::string& text) {
        auto rows = connection->query(text);
        if (!rows) FAIL(rows.error().message);
        return *std::move(rows);
    }
    std::int64_t count(const std::string& from) {
        return sql("select count(*) from quarry." + from).integer(0, 0);
    }
    bool has(const std::string& table) {
        return sql(fmt::format("select to_regclass('quarry.{}') is not null", table)).boolean(0, 0);
    }
    // "done_20251009 done_20251010": in the order of time.
    std::string days(const std::string& parent) {
        const auto rows =
            sql(fmt::format("select coalesce(string_agg(substr(name, 8), ' ' order by begins), '')"
                            " from quarry.day where parent = '{}'",
                            parent));
        return std::string(rows.text(0, 0));
    }

    // One that ends now, as the outcome says.
    JobId end_job(NewJob job = {.kind = "work"}, Outcome outcome = {}) {
        REQUIRE(store->add({std::move(job)}));
        return end_leased(std::move(outcome));
    }
    JobId end_leased(Outcome outcome = {}) {
        const auto leased = store->lease({.worker = worker, .kinds = {{"work", 1}}}).value().jobs;
        REQUIRE(leased.size() == 1);
        REQUIRE(store->finish({{leased[0].lease, std::move(outcome)}}).value().at(0) == Verdict::applied);
        return leased[0].lease.id;
    }
    // Later, with the worker still alive.
    void advance(std::chrono::milliseconds by) {
        clock.advance(by);
        REQUIRE(store->beat(worker, {}));
    }
    // All there is to sweep.
    Swept sweep(const Retention& retention = {}) { return store->sweep(retention, 10s).value(); }
};

#define PLACE(place)                                     \
    if (!test::Postgres::is_installed()) {               \
        MESSAGE("skipped: PostgreSQL is not installed"); \
        return;                                          \
    }                                                    \
    Place place

RequestRecord request_at(Timestamp at, int status = 200) {
    return {.at = at, .method = "GET", .path = "/", .route = "/", .status = status, .took = 7us};
}

}  // namespace

TEST_CASE("the days to come have their partitions before they begin") {
    PLACE(place);
    place.open();
    CHECK(place.days("done") == "done_20251009 done_20251010 done_20251011");
    CHECK(place.days("request") == "request_20251009 request_20251010 request_20251011");
    CHECK(place.days("operation") == "operation_20251009 operation_20251010 operation_20251011");

    place.advance(24h);
    place.sweep();

    CHECK(place.has("operation_20251012"));
    CHECK(place.has("done_20251012"));
    CHECK(place.has("request_20251012"));
}

TEST_CASE("who leads makes them without being asked") {
    PLACE(place);
    REQUIRE(postgres::migrate(*place.connection));
    postgres::Transactor transactor({.url = place.url}, 2, {}, &place.clock, [](auto&&...) {});
    postgres::Partitions partitions(transactor);
    const postgres::Leadership leadership;

    const postgres::Upkeep upkeep(transactor, leadership, partitions, postgres::Maintenance::by_itself);

    while (!place.has("request_20251011")) continue;
    CHECK(place.days("done") == "done_20251009 done_20251010 done_20251011");
}

TEST_CASE("what ends today is in the partition of today, and what is asked for, too") {
    PLACE(place);
    place.open();
    place.end_job();
    REQUIRE(place.store->add_requests(std::array{request_at(place.clock.now())}));

    place.advance(24h);
    place.end_job({.kind = "work"}, {.end = Failed{"broken"}});

    CHECK(place.count("done_20251009") == 1);
    CHECK(place.count("done_20251010") == 1);
    CHECK(place.count("request_20251009") == 1);
    CHECK(place.count("done_other") == 0);
    CHECK(place.count("request_other") == 0);
}

TEST_CASE("a day goes as a whole when the time of all that ended in it is over, with its payloads") {
    PLACE(place);
    place.open();
    const Retention retention{.completed_jobs = 48h, .failed_jobs = 48h};
    for (int job = 0; job < 3; ++job) place.end_job();
    const JobId failed = place.end_job({.kind = "work"}, {.end = Failed{"broken"}});
    place.store->add({{.kind = "work", .run_at = place.clock.now() + 24h * 365}}).value();

    place.advance(48h + 1h);
    CHECK(place.sweep(retention).jobs == 0);
    CHECK(place.reader->job(failed));
    place.advance(24h);

    CHECK(place.sweep(retention).jobs == 4);
    CHECK_FALSE(place.has("done_20251009"));
    CHECK(place.reader->job(failed).error().code == ErrorCode::not_found);
    CHECK(place.count("payload") == 1);
    CHECK(place.count("parked") == 1);
}

TEST_CASE("what has to go before its day does goes at its time") {
    PLACE(place);
    place.open();
    place.end_job();
    place.end_job({.kind = "work"}, {.end = Failed{"broken"}});
    place.end_job({.kind = "work", .zero_retention = true}, {.end = Failed{"broken"}});

    place.advance(1h);
    CHECK(place.sweep().jobs == 2);
    CHECK(place.count("payload") == 1);
    place.advance(5h);
    CHECK(place.sweep().jobs == 1);

    CHECK(place.count("payload") == 0);
    CHECK(place.has("done_20251009"));
    place.advance(24h);
    place.sweep();
    CHECK_FALSE(place.has("done_20251009"));
}

TEST_CASE("a day stays as long as a crawl that had a job in it") {
    PLACE(place);
    place.open();
    place.end_job();
    const GroupId crawl = place.store->add_group({}, {{.kind = "work"}, {.kind = "work"}}, {}).value();
    const JobId first = place.end_leased();

    place.advance(24h * 40);
    CHECK(place.sweep().jobs == 1);

    CHECK(place.has("done_20251009"));
    CHECK(place.reader->job(first));
    CHECK(place.count("payload") == 2);
    place.end_leased();
    REQUIRE(place.reader->group(crawl)->is_over());
    place.advance(24h * 31);
    CHECK(place.sweep().groups == 1);
    place.advance(1min);
    place.sweep();
    CHECK_FALSE(place.has("done_20251009"));
    CHECK(place.count("payload") == 0);
    CHECK(place.count("done") == 0);
}

TEST_CASE("requests of a day that goes are counted") {
    PLACE(place);
    place.open();
    const Timestamp start = place.clock.now();
    REQUIRE(place.store->add_requests(
        std::array{request_at(start), request_at(start + 1s, 404), request_at(start + 15h)}));
    REQUIRE(place.store->add_requests(std::array{request_at(start + 24h)}));

    place.advance(24h * 31);
    CHECK(place.sweep().requests == 3);

    CHECK_FALSE(place.has("request_20251009"));
    CHECK(place.has("request_20251010"));
    const auto days = place.reader->request_days(10).value();
    REQUIRE(days.size() == 2);
    CHECK(days[0].requests == 2);
    CHECK(days[0].took == 14us);
    CHECK(days[1].requests == 1);
    CHECK(place.reader->requests({}).value().size() == 1);
}

TEST_CASE("rows of a day that nobody made in time are kept and swept all the same") {
    PLACE(place);
    place.open();
    place.advance(24h * 10);
    place.end_job();
    REQUIRE(place.store->add_requests(std::array{request_at(place.clock.now())}));
    CHECK(place.count("done_other") == 1);
    CHECK(place.count("request_other") == 1);

    place.sweep();

    CHECK(place.days("done") == "done_20251020 done_20251021");
    CHECK(place.end_job() != JobId{});
    CHECK(place.count("done_other") == 2);
    place.advance(24h);
    CHECK(place.sweep().jobs == 2);
    place.end_job();
    CHECK(place.count("done_20251020") == 1);
    CHECK(place.count("done_other") == 0);
    CHECK(place.count("payload") == 1);
    place.advance(24h * 31);
    CHECK(place.sweep().requests == 1);
    CHECK(place.reader->request_days(10).value().size() == 1);
}

TEST_CASE("who reads for a long time keeps a day from going, and nothing else") {
    PLACE(place);
    place.open();
    const JobId job = place.end_job();
    auto dump = db::PgConnection::open({.url = place.url}).value();
    REQUIRE(dump.execute("begin; lock table quarry.done, quarry.request in access share mode"));
    place.advance(48h);

    CHECK(place.sweep().jobs == 1);

    CHECK(place.reader->job(job).error().code == ErrorCode::not_found);
    CHECK(place.has("done_20251009"));
    CHECK_FALSE(place.has("done_20251013"));
    place.end_job();
    REQUIRE(dump.execute("rollback"));
    place.advance(1min);
    place.sweep();
    CHECK_FALSE(place.has("done_20251009"));
    CHECK(place.has("done_20251013"));
}

TEST_CASE("a job that ends while its day is being made ends in it") {
    PLACE(place);
    place.open();
    place.advance(24h * 10);
    REQUIRE(place.store->add({{.kind = "work"}}));
    const auto leased = place.store->lease({.worker = place.worker, .kinds = {{"work", 1}}}).value().jobs;
    auto maker = db::PgConnection::open({.url = place.url}).value();
    REQUIRE(
        maker.execute("begin; create table quarry.done_20251019 (like quarry.done);"
                      "alter table quarry.done attach partition quarry.done_20251019"
                      " for values from (1760832000000) to (1760918400000)"));
    auto ended = std::async(std::launch::async, [&] {
        return place.store->finish({{leased.at(0).lease, {.end = Failed{"broken"}}}});
    });
    while (place.sql("select from pg_locks where not granted").empty()) continue;

    REQUIRE(maker.execute("commit"));

    CHECK(ended.get().value().at(0) == Verdict::applied);
    CHECK(place.count("done_20251019") == 1);
}

TEST_CASE("two that make and drop days at once do no harm") {
    PLACE(place);
    place.open();
    for (int job = 0; job < 20; ++job) place.end_job();
    place.advance(24h * 3);
    place.end_job();
    std::vector<std::future<std::int64_t>> all;

    for (int maintainer = 0; maintainer < 4; ++maintainer) {
        all.push_back(std::async(std::launch::async, [&] {
            postgres::Transactor transactor({.url = place.url}, 1, {}, &place.clock, [](auto&&...) {});
            postgres::Partitions partitions(transactor);
            partitions.make_coming();
            return partitions.drop_past({}).jobs;
        }));
    }
    std::int64_t dropped = 0;
    for (auto& one : all) dropped += one.get();

    place.advance(1min);
    CHECK(dropped + place.sweep().jobs == 20);
    CHECK(place.days("done") == "done_20251013 done_20251014");  // today's is in the other
    CHECK(place.count("payload") == 1);
}

TEST_CASE("jobs are ended and found without reading whole days") {
    PLACE(place);
    place.open();
    const JobId first = place.end_job();
    const JobId failed = place.end_job({.kind = "work"}, {.end = Failed{"broken"}});
    const GroupId group = place.store->add_group({}, {{.kind = "work"}}, {}).value();
    place.end_leased();
    for (int day = 0; day < 20; ++day) {
        place.sql(fmt::format(
            "insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls, "
            "zero_retention, created_at, finished_at) select 1000000 + {0} * 10000 + n, 1, 2, 2, 1, 0, 3, 0, "
            "false, 1, {1} from generate_series(1, 2000) as n",
            day, place.clock.now().time_since_epoch().count()));
        place.clock.advance(24h);
        place.sweep({.completed_jobs = 24h * 365, .failed_jobs = 24h * 365});
    }
    place.open();
    place.sql("analyze");
    const auto rows_read = [&] {
        // What others count is there when they have ended.
        place.reader.reset();
        place.store.reset();
        place.sql(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()");
        return place
            .sql(
                "select sum(seq_tup_read + idx_tup_fetch)::bigint from pg_stat_user_tables"
                " where relname ~ '^done_2'")
            .integer(0, 0);
    };
    const std::int64_t before = rows_read();
    place.open();

    const JobId last = place.end_job();
    CHECK(place.reader->job(first));
    CHECK(place.reader->job(last));
    const JobFilter completed{.states = {JobState::completed}};
    CHECK(place.reader->jobs({.filter = completed, .limit = 10}).value().size() == 10);
    CHECK(place.store->retry({.ids = {failed}}).value() == 1);
    CHECK(place.store->clear({.ids = {first}}).value() == 1);
    REQUIRE(place.store->erase(group));

    CHECK(rows_read() - before < 200);  // of 40,000
}

TEST_CASE("what a database had before there were days is one partition, which goes like a day") {
    PLACE(place);
    const std::array<std::string, 3> former = {std::string(postgres::schema_1_ids) + postgres::schema_1_jobs +
                                                   postgres::schema_1_crawls + postgres::schema_1_pages +
                                                   postgres::schema_1_metrics,
                                               postgres::schema_2, postgres::schema_3};
    REQUIRE(db::pg_migrate(*place.connection, {.schema = "quarry", .what = "tables", .steps = former}));
    place.sql("insert into quarry.owner(name) values ('local')");
    place.sql("insert into quarry.kind(name) values ('work')");
    place.sql(
        "insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls, "
        "zero_retention, created_at, finished_at) select n, 1, 2, 2, 1, 0, 3, 0, false, 1,"
        " quarry.now_ms() - n * 3600000 from generate_series(1, 100) as n");
    place.sql("insert into quarry.payload select n, '{}' from generate_series(1, 100) as n");
    place.sql(
        "insert into quarry.request select n, quarry.now_ms() - n, 'GET', '/', '/', 200, 1, '', '', '', '',"
        " '{}' from generate_series(1, 10) as n");
    place.sql("select setval('quarry.id', 1000)");
    // The clock of the server is what the rows are of.
    place.clock.advance(std::chrono::milliseconds(place.sql("select quarry.now_ms()").integer(0, 0)) -
                        place.clock.now().time_since_epoch());

    place.open();

    CHECK(place.count("done_other") == 0);
    CHECK(place.count("done") == 100);
    CHECK(place.count("request_other") == 0);
    CHECK(place.reader->job(JobId{100}));
    CHECK(place.reader->requests({}).value().size() == 10);
    CHECK(place.days("done").starts_with("done_before_"));
    CHECK(place.sql("select from quarry.day").size() == 3 * 3);
    place.end_job();  // today's is there, too
    CHECK(place.count("done_other") == 0);
    place.advance(24h * 2);
    CHECK(place.sweep().jobs == 101);
    CHECK_FALSE(place.days("done").contains("done_before_"));
    CHECK(place.days("request").contains("request_before_"));
    CHECK(place.count("payload") == 0);
    place.advance(24h * 31);
    CHECK(place.sweep().requests == 10);
    CHECK_FALSE(place.days("request").contains("request_before_"));
    CHECK(place.sql("select sum(requests)::bigint from quarry.request_day").integer(0, 0) == 10);
}

}  // namespace quarry::store
