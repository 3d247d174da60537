// The views alone. sample_queries_test.cc tests what they show of a crawl in the store.
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/postgres/connection.h"
#include "servers/postgres.h"
#include "store/postgres/schema/schema.h"

namespace quarry::store::postgres {

namespace {

struct Tables {
    std::string url;
    std::unique_ptr<db::PgConnection> connection;

    Tables() {
        test::Postgres* const server = test::Postgres::shared();
        if (!server) {
            MESSAGE("skipped: PostgreSQL is not installed");
            return;
        }
        url = server->url(server->create_database());
        connection = std::make_unique<db::PgConnection>(db::PgConnection::open({.url = url}).value());
        REQUIRE(migrate(*connection));
    }

    bool is_there() const { return connection != nullptr; }
    db::PgRows sql(const std::string& text) {
        auto rows = connection->query(text);
        if (!rows) FAIL(rows.error().message);
        return *std::move(rows);
    }
    void add_owner() { sql("insert into quarry.owner(name) values ('local')"); }
    void add_group(int id, const std::string& kind, const std::string& options = "{}") {
        sql(fmt::format(
            "insert into quarry.grp(id, kind, name, options, collection, site, owner, state, priority, "
            "company, "
            "page_limit, url_limit, index_pages, zero_retention, closing_jobs, roots, error, created_at)"
            " values ({}, '{}', 'https://a.example/', '{}', 'docs', '', 1, 1, 2, 0, 1, 1, true, false, '[]', "
            "'[]', '', 1700000000123)",
            id, kind, options));
    }
};

// "id uuid, status job_status, …"
std::string columns_of(Tables& tables, const std::string& view) {
    const auto rows = tables.sql(fmt::format(
        "select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)"
        " from pg_attribute where attrelid = '{}'::regclass and attnum > 0",
        view));
    return std::string(rows.text(0, 0));
}

}  // namespace

TEST_CASE("the views have the columns and types that they are known by") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    const std::string queue =
        "id uuid, status nuq.job_status, priority integer, created_at timestamp with time zone, "
        "finished_at timestamp with time zone, lock uuid, locked_at timestamp with time zone, stalls "
        "integer, "
        "data jsonb, returnvalue jsonb, failedreason text, owner_id uuid, group_id uuid, "
        "listen_channel_id text";

    CHECK(columns_of(tables, "nuq.queue_scrape") == queue);
    CHECK(columns_of(tables, "nuq.queue_crawl_finished") == queue);
    CHECK(columns_of(tables, "nuq.queue_scrape_backlog") ==
          "id uuid, data jsonb, created_at timestamp with time zone, priority integer, "
          "listen_channel_id text, owner_id uuid, group_id uuid, times_out_at timestamp with time zone");
    CHECK(columns_of(tables, "nuq.group_crawl") ==
          "id uuid, status nuq.group_status, created_at timestamp with time zone, owner_id uuid, ttl bigint, "
          "expires_at timestamp with time zone");
    CHECK(columns_of(tables, "webhook.crawl_sessions") ==
          "id uuid, job_id character varying(255), base_url character varying(500), "
          "operation_type character varying(50), started_at timestamp with time zone, "
          "completed_at timestamp with time zone, status character varying(50), success boolean, "
          "total_urls integer, completed_urls integer, failed_urls integer, total_pages integer, "
          "pages_indexed integer, pages_failed integer, total_chunking_ms double precision, "
          "total_embedding_ms double precision, total_qdrant_ms double precision, "
          "total_bm25_ms double precision, duration_ms double precision, "
          "initiated_at timestamp with time zone, e2e_duration_ms double precision, auto_index boolean, "
          "expires_at timestamp with time zone, extra_metadata jsonb, error_message text, "
          "created_at timestamp with time zone, updated_at timestamp with time zone");
    CHECK(columns_of(tables, "webhook.operation_metrics") ==
          "id uuid, timestamp timestamp with time zone, operation_type character varying(50), "
          "operation_name character varying(100), duration_ms double precision, success boolean, "
          "error_message text, request_id character varying(100), job_id character varying(100), "
          "crawl_id character varying(255), document_url character varying(500), extra_metadata jsonb, "
          "created_at timestamp with time zone");
    CHECK(columns_of(tables, "webhook.request_metrics") ==
          "id uuid, timestamp timestamp with time zone, method character varying(10), "
          "path character varying(500), status_code integer, duration_ms double precision, "
          "request_id character varying(100), client_ip character varying(50), "
          "user_agent character varying(500), extra_metadata jsonb, created_at timestamp with time zone");
    CHECK(columns_of(tables, "webhook.change_events") ==
          "id bigint, watch_id character varying(255), watch_url text, detected_at timestamp with time zone, "
          "diff_summary text, snapshot_url text, rescrape_job_id character varying(255), "
          "rescrape_status character varying(50), indexed_at timestamp with time zone, metadata jsonb, "
          "created_at timestamp with time zone");
}

TEST_CASE("views that are there stay as they are") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());

    CHECK(migrate_views(*tables.connection).value());
    REQUIRE(tables.connection->execute("update quarry.meta set value = 99 where name = 'views'"));
    CHECK(migrate_views(*tables.connection).value());
}

TEST_CASE("a crawl's URLs are listed by how and when they ended, from an index") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    tables.add_owner();
    tables.add_group(7, "crawl");
    // On empty tables every plan costs the same, so this only shows whether an index can be used.
    tables.sql("set enable_seqscan = off");
    tables.sql("set enable_sort = off");
    const auto plan_of = [&](const std::string& query) {
        const auto rows = tables.sql("explain " + query);
        std::string plan;
        for (int row = 0; row < rows.size(); ++row) plan += std::string(rows.text(row, 0)) + "\n";
        return plan;
    };

    const std::string in_order = plan_of(
        "select url from quarry.frontier where grp = 7 and state = 2 order by quarry.time_of(finished_at) "
        "limit 100");
    CHECK_MESSAGE(in_order.find("Index Scan using frontier_listing") != std::string::npos, in_order);
    CHECK_MESSAGE(in_order.find("Sort") == std::string::npos, in_order);
}

TEST_CASE("schemas of somebody else are left alone") {
    Tables tables;
    if (!tables.is_there()) return;
    tables.sql("create schema nuq");

    CHECK_FALSE(migrate_views(*tables.connection).value());

    CHECK(tables.sql("select to_regnamespace('webhook') is null").boolean(0, 0));
}

TEST_CASE("JSON that PostgreSQL cannot hold breaks no query") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());

    CHECK(tables.sql(R"(select quarry.json_of('{"a":"x\u0000y"}') ->> 'a')").text(0, 0) == "x\uFFFDy");
    CHECK(tables.sql("select quarry.json_of('{\"a\":')::text").text(0, 0) == "{}");
    CHECK(tables.sql("select quarry.json_of('[1]')::text").text(0, 0) == "{}");
    CHECK(tables.sql("select quarry.time_said('soon') is null").boolean(0, 0));
}

TEST_CASE("whoever may read the views need not be allowed to read the tables") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    tables.add_owner();
    tables.add_group(7, "crawl");
    tables.sql(
        "insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, content, "
        "url)"
        " values (8, 7, 1, '\\x00', 2, 0, 0, 0, 0, 9, 'https://a.example/')");
    tables.sql("insert into quarry.content values (9, 10, '{}', 'words', null)");
    tables.sql("create role views_reader");
    tables.sql("grant usage on schema nuq, webhook, quarry to views_reader");
    tables.sql("grant select on all tables in schema nuq, webhook to views_reader");

    tables.sql("set role views_reader");

    CHECK_FALSE(tables.connection->query("select * from quarry.content"));
    CHECK(tables.sql("select returnvalue ->> 'markdown' from nuq.queue_scrape").text(0, 0) == "words");
    for (const char* view :
         {"nuq.queue_scrape", "nuq.queue_scrape_backlog", "nuq.group_crawl", "nuq.queue_crawl_finished",
          "webhook.crawl_sessions", "webhook.operation_metrics", "webhook.request_metrics",
          "webhook.change_events"}) {
        CHECK(tables.connection->query(fmt::format("select * from {}", view)));
    }
    tables.sql("reset role");
    tables.sql("drop owned by views_reader");
    tables.sql("drop role views_reader");
}

TEST_CASE("the end of a job is told to the channel that its payload names") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    auto listener = db::PgListener::open({.url = tables.url}, "waiter_1").value();
    tables.sql("insert into quarry.payload values (5, '{\"listenChannelId\":\"waiter_1\"}'), (6, '{}')");

    tables.sql(
        "insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls, "
        "zero_retention, created_at, finished_at)"
        " select id, 1, 2, 2, 1, 0, 3, 0, false, 1700000000123, 1700000000999 from generate_series(5, 6) as "
        "id");

    const auto told = listener.wait(std::chrono::seconds(10)).value();
    REQUIRE(told.size() == 1);
    CHECK(told[0].payload == tables.sql("select quarry.public_id(5, 1700000000123)::text").text(0, 0));
    CHECK(tables.sql("select from quarry.listener").empty());
}

TEST_CASE("the end of a group is told to whoever asked for it by its id") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    tables.add_owner();
    tables.add_group(7, "crawl");
    auto listener = db::PgListener::open({.url = tables.url}, "waiter_2").value();
    const std::string id(tables.sql("select uuid::text from quarry.grp").text(0, 0));

    CHECK(tables.sql(fmt::format("select nuq.listen_for('{}', 'waiter_2')", id)).boolean(0, 0));
    tables.sql("update quarry.grp set state = 2, finished_at = 1700000001000 where id = 7");

    const auto told = listener.wait(std::chrono::seconds(10)).value();
    REQUIRE(told.size() == 1);
    CHECK(told[0].payload == id);
    CHECK_FALSE(tables.sql(fmt::format("select nuq.listen_for('{}', 'waiter_2')", id)).boolean(0, 0));
    CHECK_FALSE(tables.sql("select nuq.listen_for(gen_random_uuid(), 'waiter_2')").boolean(0, 0));
}

TEST_CASE("a channel that PostgreSQL would refuse does not keep a job from ending") {
    Tables tables;
    if (!tables.is_there()) return;
    REQUIRE(migrate_views(*tables.connection).value());
    tables.add_owner();
    tables.sql(
        fmt::format("insert into quarry.payload values (5, '{{\"listenChannelId\":\"{}\"}}'), "
                    "(6, '{{\"listenChannelId\":\"\"}}'), (7, '{{\"listenChannelId\":{{}}}}'), "
                    "(8, '\"listenChannelId\"')",
                    std::string(64, 'x')));
    tables.add_group(9, "scrape", "{\"listenChannelId\": \"not about it\"}");

    tables.sql(
        "insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls, "
        "zero_retention, created_at, finished_at)"
        " select id, 1, 2, 2, 1, 0, 3, 0, false, 1, 2 from generate_series(5, 8) as id");

    CHECK(tables.sql("select from quarry.done").size() == 4);
}

}  // namespace quarry::store::postgres
