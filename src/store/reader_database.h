// Databases for tests of readers. The rows are written as SQL, so that every state can be had at will; what
// the store itself writes is read in the promises.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/postgres/connection.h"
#include "db/sqlite.h"
#include "servers/postgres.h"
#include "servers/temporary_folder.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/store.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store.h"

namespace quarry::store::by_sql {

struct GroupRow {
    int id = 0;
    JobState state = JobState::running;
    int owner = 1;
    std::string collection = "docs";
    int priority = 2;
    int concurrency = 0;
    std::string last_id = "NULL";
};

struct ChangeRow {
    int id = 0;
    JobState state = JobState::queued;
    std::string collection = "docs";
    std::string group = "NULL";
    std::string last_error = "NULL";
};

// Owners 1 "ann" and 2 "bob", kinds 1 "scrape" and 2 "webhook".
struct SqliteRows {
    test::TemporaryFolder folder;
    std::string path = folder.file("quarry.db");
    db::Connection connection = db::Connection::open(path, db::Access::create).value();
    std::unique_ptr<Reader> reader;

    SqliteRows() {
        sql("PRAGMA journal_mode = WAL");
        REQUIRE(migrate(connection));
        sql("INSERT INTO meta VALUES ('salt', 77)");
        sql("INSERT INTO owner(id, name) VALUES (1, 'ann'), (2, 'bob')");
        sql("INSERT INTO kind VALUES (1, 'scrape'), (2, 'webhook')");
        reader = open_sqlite_reader(path).value();
    }

    bool is_there() const { return true; }
    void sql(std::string_view text) {
        const auto done = connection.execute(text);
        if (!done) FAIL(done.error().message);
    }

    void group(const GroupRow& row) {
        sql(
            fmt::format("INSERT INTO grp VALUES ({}, 'crawl', 'https://a.example/', '{{}}', '{}', "
                        "'a.example', {}, {}, {}, "
                        "{}, 100, 1000, 1, 0, '[]', '[\"https://b.example/\"]', '', 1000, 2000, NULL, {}, 1, "
                        "2, 3, 4, 5, 6, "
                        "7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, NULL, NULL, NULL, 0, 21, '')",
                        row.id, row.collection, row.owner, static_cast<int>(row.state), row.priority,
                        row.concurrency, row.last_id));
    }
    void job(int id, JobState state, const std::string& group = "NULL", int kind = 1, int owner = 1) {
        sql(fmt::format(
            "INSERT INTO job VALUES ({}, {}, {}, 2, {}, {}, 1, 3, 0, 40, 0, 1000, 5000, NULL, 9000, "
            "'key-{}', 'it broke', 0)",
            id, kind, static_cast<int>(state), owner, group, id));
        sql(fmt::format("INSERT INTO payload VALUES ({}, '{{\"n\":{}}}')", id, id));
    }
    void done(int id, JobState state, const std::string& group = "NULL", std::int64_t finished_at = 3'000) {
        sql(fmt::format(
            "INSERT INTO done VALUES ({}, 1, {}, 2, 1, {}, 0, 3, 0, 0, 1000, 2000, {}, NULL, 5, NULL, "
            "NULL, '{{\"ok\":true}}')",
            id, static_cast<int>(state), group, finished_at));
    }
    void url(int id, int group, UrlState state, SkipReason skipped = SkipReason::none) {
        sql(fmt::format(
            "INSERT INTO frontier VALUES ({0}, {1}, 1, x'{0:032x}', {2}, NULL, 1, 0, 1, 0, 0, 0, {3}, "
            "200, NULL, NULL, NULL, 'https://a.example/{0}', NULL, NULL, 5000, 6000, NULL, 0)",
            id, group, static_cast<int>(state), static_cast<int>(skipped)));
    }
    void change(const ChangeRow& row) {
        sql(
            fmt::format("INSERT INTO outbox VALUES ({0}, 1, 1, 1, '{1}', {2}, {3}, 2, 1, NULL, 1000, NULL, "
                        "'https://a.example/{0}', {4}, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
                        row.id, row.collection, row.group, static_cast<int>(row.state), row.last_error));
    }
    void lease_job(int id, int worker = 1) { lease(id, worker); }
    void lease_url(int id, int worker = 1) { lease(id, worker); }
    void worker(int id, const std::string& name, int beat_at) {
        sql(fmt::format("INSERT INTO worker VALUES ({}, '{}', 1, {})", id, name, beat_at));
    }

private:
    void lease(int id, int worker) {
        sql(fmt::format("INSERT INTO lease VALUES ({}, {}, {}, {})", id, id, worker, 2'000 + id));
    }
};

struct PostgresRows {
    std::string url_of_database;
    std::unique_ptr<db::PgConnection> connection;
    std::unique_ptr<Reader> reader;

    PostgresRows() {
        test::Postgres* const server = test::Postgres::shared();
        if (!server) {
            MESSAGE("skipped: PostgreSQL is not installed");
            return;
        }
        url_of_database = server->url(server->create_database());
        connection =
            std::make_unique<db::PgConnection>(db::PgConnection::open({.url = url_of_database}).value());
        REQUIRE(postgres::migrate(*connection));
        sql("select quarry.set_salt(77)");
        sql("insert into quarry.owner(name) values ('ann'), ('bob')");
        sql("insert into quarry.kind(name) values ('scrape'), ('webhook')");
        reader = open_postgres_reader({.url = url_of_database}).value();
    }

    bool is_there() const { return reader != nullptr; }
    void sql(const std::string& text) {
        const auto done = connection->execute("set search_path = quarry;" + text);
        if (!done) FAIL(done.error().message);
    }

    void group(const GroupRow& row) {
        sql(fmt::format(
            "insert into quarry.grp values ({}, 'crawl', 'https://a.example/', '{{}}', '{}', 'a.example', "
            "{}, {}, {}, {}, 100, 1000, true, false, null, '[]', '[\"https://b.example/\"]', '', 1000, 2000, "
            "null, {}, false, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, "
            "default, null, null, 0, 21, '')",
            row.id, row.collection, row.owner, static_cast<int>(row.state), row.priority, row.concurrency,
            row.last_id));
    }
    // The columns that the tables of open jobs have in common.
    static constexpr const char* job_columns =
        "id, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention, created_at, run_at, "
        "start_by, deadline, unique_key, last_error";
    void job(int id, JobState state, const std::string& group = "NULL", int kind = 1, int owner = 1) {
        const bool is_paused = state == JobState::paused;
        sql(fmt::format(
            "insert into quarry.{} ({}, {}) values ({}, {}, 2, {}, {}, 1, 3, 0, false, 1000, 5000, null, "
            "9000, 'key-{}', 'it broke', {})",
            is_paused ? "parked" : "ready", job_columns, is_paused ? "reason" : "turn", id, kind, owner,
            group, id, is_paused ? 4 : 1));
        sql(fmt::format("insert into quarry.payload values ({}, '{{\"n\":{}}}')", id, id));
    }
    void done(int id, JobState state, const std::string& group = "NULL", std::int64_t finished_at = 3'000) {
        sql(fmt::format(
            "insert into quarry.done values ({}, 1, {}, 2, 1, {}, 0, 3, 0, false, 1000, 2000, {}, null, 5, "
            "null, null, '{{\"ok\":true}}')",
            id, static_cast<int>(state), group, finished_at));
    }
    void url(int id, int group, UrlState state, SkipReason skipped = SkipReason::none) {
        sql(fmt::format(
            "insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, "
            "skipped, status, url, fetch_us, extract_us) values ({0}, {1}, 1, '\\x{0:032x}', {2}, 1, 0, 1, "
            "0, "
            "{3}, 200, 'https://a.example/{0}', 5000, 6000)",
            id, group, static_cast<int>(state), static_cast<int>(skipped)));
    }
    void change(const ChangeRow& row) {
        sql(fmt::format(
            "insert into quarry.outbox(id, page, content, version, collection, grp, state, priority, "
            "attempts, created_at, url, last_error) values ({0}, 1, 1, 1, '{1}', {2}, {3}, 2, 1, 1000, "
            "'https://a.example/{0}', {4})",
            row.id, row.collection, row.group, static_cast<int>(row.state), row.last_error));
    }
    void lease_job(int id, int worker = 1) {
        sql(
            fmt::format("with moved as (delete from quarry.ready where id = {0} returning *) insert into "
                        "quarry.lease({1}, "
                        "token, worker, progress, leased_at) select {1}, {0}, {2}, 40, {3} from moved",
                        id, job_columns, worker, 2'000 + id));
    }
    void lease_url(int id, int worker = 1) {
        sql(
            fmt::format("insert into quarry.url_lease(id, token, worker, owner, grp, host, leased_at)"
                        " select id, id, {1}, 1, grp, host, {2} from quarry.frontier where id = {0}",
                        id, worker, 2'000 + id));
    }
    void worker(int id, const std::string& name, int beat_at) {
        sql(fmt::format("insert into quarry.worker values ({}, '{}', {})", id, name, beat_at));
    }
};

// One test, run on each of them.
#define EVERY_DATABASE quarry::store::by_sql::SqliteRows, quarry::store::by_sql::PostgresRows

}  // namespace quarry::store::by_sql
