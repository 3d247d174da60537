// The databases that keep the promises. Each test gets one of its own, and a clock that it moves itself.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "servers/pgbouncer.h"
#include "servers/postgres.h"
#include "servers/temporary_folder.h"
#include "store/postgres/store.h"
#include "store/reader.h"
#include "store/sqlite/store.h"
#include "store/store.h"

namespace quarry::store::promises {

using namespace std::chrono_literals;

// What a store is asked with, in the words of a test.
class Backend {
public:
    ManualClock clock;
    std::unique_ptr<Store> store;
    std::unique_ptr<Reader> reader;

    WorkerId worker(const std::string& name = "first") {
        const auto found = workers_.find(name);
        if (found != workers_.end()) return found->second;
        return workers_[name] = store->register_worker(name).value();
    }

    JobId add(NewJob job) { return store->add({std::move(job)}).value().at(0).id; }
    std::vector<JobLease> lease(int slots, const std::string& by = "first",
                                const std::string& kind = "work") {
        return store->lease({.worker = worker(by), .kinds = {{kind, slots}}}).value().jobs;
    }
    std::vector<UrlLease> lease_urls(int urls, const std::string& by = "first") {
        return store->lease({.worker = worker(by), .urls = urls}).value().urls;
    }
    Leased lease_for(Demand demand, const std::string& by = "first") {
        demand.worker = worker(by);
        return store->lease(demand).value();
    }
    Verdict finish(LeaseRef lease, Outcome outcome = {}) {
        return store->finish({{lease, std::move(outcome)}}).value().at(0);
    }
    Job job(JobId id) { return reader->job(id).value(); }
    Group group(GroupId id) { return reader->group(id).value(); }

protected:
    std::map<std::string, WorkerId> workers_;
};

class OnSqlite : public Backend {
public:
    explicit OnSqlite(StoreLimits limits = {}) : limits_(limits) {
        limits_.low_disk_bytes = 0;
        open();
    }

    // Ends this process's store and begins the next one's.
    void restart() {
        reader.reset();
        store.reset();
        workers_.clear();
        open();
    }

    std::string path() const { return folder_.file("quarry.db"); }

private:
    void open() {
        store = open_sqlite_store({.path = path(), .limits = limits_, .clock = &clock}).value();
        reader = open_sqlite_reader(path()).value();
    }

    test::TemporaryFolder folder_;
    StoreLimits limits_;
};

// On a real server, which all tests of the process share.
class OnPostgres : public Backend {
public:
    explicit OnPostgres(StoreLimits limits = {}) : limits_(limits) { open(); }
    ~OnPostgres() { close(); }

    void restart() {
        close();
        workers_.clear();
        open();
    }

private:
    void close() {
        reader.reset();
        store.reset();
    }
    // The same promises are kept through a pooler (promises_pooled_test).
    static db::PgConfig config_of(const std::string& url) {
        if (!std::getenv("QUARRY_POOLED")) return {.url = url};
        return {.url = test::PgBouncer::shared()->url_through(url), .pooled = true};
    }
    void open() {
        const db::PgConfig config = config_of(database_.url());
        store = open_postgres_store({.database = config, .limits = limits_, .clock = &clock}).value();
        reader = open_postgres_reader(config).value();
    }

    test::EmptyDatabase database_;
    StoreLimits limits_;
};

// One test, run on each of them.
#define EVERY_STORE \
    quarry::store::promises::OnSqlite, quarry::store::promises::OnPostgres, quarry::store::promises::OnRedis
// Those of pages and what belongs to them. Redis keeps them too: pages first, then the end of their URL.
#define TRANSACTIONAL_STORES EVERY_STORE

}  // namespace quarry::store::promises

#include "store/promises/on_redis.h"
