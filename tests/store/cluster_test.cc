// Several processes use one PostgreSQL. The processes are killed, frozen and cut off, and so is the database.
// At the end nothing they promised is lost, nothing is done twice, and every counter equals its rows.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "effort.h"
#include "servers/pgbouncer.h"
#include "servers/postgres.h"
#include "servers/tcp_proxy.h"
#include "store/finish_all.h"
#include "store/postgres/store.h"
#include "store/postgres_consistency.h"
#include "store/working_child.h"

namespace quarry::test {

namespace {

using namespace std::chrono_literals;

#define SERVER(server)                                          \
    const std::unique_ptr<Postgres> server = Postgres::start(); \
    if (!server) {                                              \
        MESSAGE("skipped: PostgreSQL is not installed");        \
        return;                                                 \
    }

// Processes at work on one database, and everything that they reported as promised.
class Cluster {
public:
    explicit Cluster(Postgres& server) : database_(server.create_database()), url_(server.url(database_)) {
        // The first process to open the store makes the tables.
        REQUIRE(open_store());
    }

    const std::string& url() const { return url_; }
    std::string url_through(const TcpProxy& proxy) const {
        return fmt::format("postgres://postgres@127.0.0.1:{}/{}", proxy.port(), database_);
    }
    std::size_t size() const { return children_.size(); }
    std::size_t promised() const { return promises_.size(); }
    WorkingChild& child(std::size_t number) { return *children_[number]; }

    void start(const std::string& url, std::vector<std::string> environment = {}) {
        children_.push_back(std::make_unique<WorkingChild>(url, ++seed_, std::move(environment)));
    }
    void kill(std::size_t number) {
        REQUIRE(children_[number]->kill(promises_));
        children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(number));
    }

    // Reads what the processes have reported, and waits up to `patience` for the first report. False if a
    // process has ended or none has reported anything.
    bool listen(std::chrono::milliseconds patience) {
        std::vector<pollfd> waiting;
        for (const auto& child : children_)
            waiting.push_back({.fd = child->output(), .events = POLLIN, .revents = 0});
        if (poll(waiting.data(), waiting.size(), static_cast<int>(patience.count())) <= 0) return false;
        for (std::size_t number = 0; number < waiting.size(); ++number)
            if (waiting[number].revents != 0 && !children_[number]->read_promises(promises_)) return false;
        return true;
    }

    // Runs until the processes together have reported this many more promises. False if that takes too long.
    bool live(std::size_t more) {
        const std::size_t enough = promises_.size() + more;
        while (promises_.size() < enough)
            if (!listen(60s)) return false;
        return true;
    }

    // Kills all processes. A new store then finishes what is left.
    void end() {
        while (!children_.empty()) kill(0);
        const auto store = open_store();
        REQUIRE(store);
        const auto reader = store::open_postgres_reader({.url = url_}).value();
        const auto paused = reader->groups({.states = {JobState::paused}, .limit = 100'000}).value();
        for (const Group& group : paused) REQUIRE((*store)->resume(group.id));
        // The leases of dead workers are due again a second after the workers' last beats.
        while (is_busy(*reader)) {
            finish_all(**store);
            (void)(*store)->wait_for_change(0, (*store)->now() + 100ms, {});
        }
    }

    std::string problems() const {
        auto connection = db::PgConnection::open({.url = url_}).value();
        std::vector<std::string> sentences = broken_promises(connection, promises_);
        for (std::string& sentence : inconsistencies(connection)) sentences.push_back(std::move(sentence));
        return fmt::format("{}", fmt::join(sentences, "\n"));
    }

private:
    Result<std::unique_ptr<store::Store>> open_store() const {
        return store::open_postgres_store({.database = {.url = url_}, .limits = {.lease_duration = 1s}});
    }
    static bool is_busy(store::Reader& reader) {
        const std::vector<JobState> open = {JobState::queued, JobState::running};
        const store::OutboxCounts changes = reader.outbox_counts("", {}).value();
        return changes.pending + changes.processing > 0 || !reader.groups({.states = open}).value().empty() ||
               !reader.jobs({.filter = {.states = open}, .limit = 1}).value().empty();
    }

    const std::string database_, url_;
    std::vector<std::unique_ptr<WorkingChild>> children_;
    std::vector<Promise> promises_;
    std::uint64_t seed_ = 0;
};

}  // namespace

TEST_CASE("of eight processes that are killed at random moments nothing is lost") {
    SERVER(server);
    Cluster cluster(*server);
    std::mt19937_64 random(6);
    for (int count = 0; count < 8; ++count) cluster.start(cluster.url());
    for (std::uint64_t kill = 1; kill <= rounds(30); ++kill) {
        INFO("after kill ", kill);
        REQUIRE(cluster.live(random() % 60));
        cluster.kill(random() % cluster.size());
        cluster.start(cluster.url());
        if (kill % 15 == 0) REQUIRE(cluster.problems() == "");
    }
    CHECK(cluster.promised() > 500);
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("a database that is killed and comes back has lost nothing") {
    SERVER(server);
    Cluster cluster(*server);
    for (int count = 0; count < 3; ++count) cluster.start(cluster.url());
    for (int kill = 1; kill <= 4; ++kill) {
        INFO("after kill ", kill);
        REQUIRE(cluster.live(100));
        kill % 2 == 0 ? server->kill() : server->stop_at_once();
        server->restart();
    }
    REQUIRE(cluster.live(100));
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("workers that are cut off from the database do no harm, and come back") {
    SERVER(server);
    TcpProxy proxy(server->port());
    Cluster cluster(*server);
    for (int count = 0; count < 2; ++count) cluster.start(cluster.url_through(proxy));
    cluster.start(cluster.url());
    REQUIRE(cluster.live(200));
    for (int cut = 1; cut <= 4; ++cut) {
        INFO("cut ", cut);
        proxy.stall();
        REQUIRE(cluster.live(100));  // from the process that is left
        if (cut % 2 == 0) proxy.drop();
        proxy.forward();
        const std::int64_t before = proxy.forwarded_bytes();
        while (proxy.forwarded_bytes() == before) REQUIRE(cluster.live(10));
    }
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("a worker that was frozen until its leases were over harms nobody") {
    SERVER(server);
    Cluster cluster(*server);
    for (int count = 0; count < 3; ++count) cluster.start(cluster.url());
    REQUIRE(cluster.live(100));
    auto connection = db::PgConnection::open({.url = cluster.url()}).value();
    for (int freeze = 1; freeze <= 3; ++freeze) {
        INFO("freeze ", freeze);
        const auto dead = [&] {
            return connection.query("select count(*) from quarry.worker where is_dead").value().integer(0, 0);
        };
        const std::int64_t before = dead();
        cluster.child(0).signal(SIGSTOP);
        while (dead() == before) REQUIRE(cluster.live(10));
        cluster.child(0).signal(SIGCONT);
        REQUIRE(cluster.live(100));
    }
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("workers go on when the database has no connection left for some of them") {
    const std::unique_ptr<Postgres> server = Postgres::start({.settings = "max_connections = 14"});
    if (!server) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    Cluster cluster(*server);
    for (int count = 0; count < 6; ++count) cluster.start(cluster.url());
    REQUIRE(cluster.live(150));
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("workers whose clocks differ agree, since only the database's counts") {
    SERVER(server);
    const std::string library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
    if (access(library.c_str(), R_OK) != 0) {
        MESSAGE("skipped: libfaketime is not installed");
        return;
    }
    Cluster cluster(*server);
    for (const std::string wrong : {"-1h", "+0", "+1h"})
        cluster.start(cluster.url(),
                      {"LD_PRELOAD=" + library, "FAKETIME=" + wrong, "FAKETIME_DONT_FAKE_MONOTONIC=1"});
    REQUIRE(cluster.live(150));
    auto connection = db::PgConnection::open({.url = cluster.url()}).value();
    // All times lie within the last minutes of the shared clock.
    const auto wrong = connection.query(R"sql(
        select (select count(*) from quarry.worker where abs(beat_at - quarry.now_ms()) > 600000)
             + (select count(*) from quarry.grp where abs(created_at - quarry.now_ms()) > 600000)
             + (select count(*) from quarry.job where abs(coalesce(run_at, created_at) - quarry.now_ms()) > 600000)
             + (select count(*) from quarry.frontier where abs(coalesce(run_at, finished_at) - quarry.now_ms()) > 600000))sql");
    CHECK(wrong.value().integer(0, 0) == 0);
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("a database whose disk is full has lost nothing when there is space again") {
    if (!Postgres::is_installed()) {
        MESSAGE("skipped: PostgreSQL is not installed");
        return;
    }
    const std::unique_ptr<Postgres> server = Postgres::start(
        {.settings = "min_wal_size = 32MB\nmax_wal_size = 64MB\nautovacuum = off", .disk_megabytes = 256});
    if (!server) {
        MESSAGE("skipped: a disk of its own can only be made by root");
        return;
    }
    Cluster cluster(*server);
    for (int count = 0; count < 3; ++count) cluster.start(cluster.url());
    REQUIRE(cluster.live(100));
    server->fill_disk();
    while (server->log().find("No space left on device") == std::string::npos) (void)cluster.listen(10ms);
    server->free_disk();
    // Without space for its journal PostgreSQL gives up.
    if (!server->is_running()) server->restart();
    REQUIRE(cluster.live(100));
    cluster.end();
    CHECK(cluster.problems() == "");
}

TEST_CASE("a pooler between workers and the database changes nothing") {
    SERVER(server);
    const std::unique_ptr<PgBouncer> pooler = PgBouncer::start(*server);
    if (!pooler) {
        MESSAGE("skipped: PgBouncer is not installed");
        return;
    }
    Cluster cluster(*server);
    for (int count = 0; count < 3; ++count)
        cluster.start(pooler->url_through(cluster.url()), {"QUARRY_POOLED=1"});
    for (int kill = 1; kill <= 4; ++kill) {
        REQUIRE(cluster.live(20));
        cluster.kill(0);
        cluster.start(pooler->url_through(cluster.url()), {"QUARRY_POOLED=1"});
    }
    cluster.end();
    CHECK(cluster.problems() == "");
}

}  // namespace quarry::test
