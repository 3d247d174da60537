// The program on a PostgreSQL that several hosts share, each of which is a data folder here.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "program/data_home.h"
#include "servers/nginx.h"
#include "servers/postgres.h"
#include "servers/redis.h"

namespace quarry::test {

namespace {

#define SHARED_STORE(url, site)                                     \
    Postgres* const server = Postgres::shared();                    \
    if (!server) {                                                  \
        MESSAGE("skipped: PostgreSQL is not installed");            \
        return;                                                     \
    }                                                               \
    const std::string url = server->url(server->create_database()); \
    const auto site = Nginx::start(QUARRY_SOURCE "/tests/site");    \
    if (!site) {                                                    \
        MESSAGE("skipped: nginx is not installed");                 \
        return;                                                     \
    }                                                               \
    static_assert(true)

}  // namespace

TEST_CASE("what one host has crawled is found on another") {
    SHARED_STORE(url, site);
    const DataHome here, there;

    const Ran crawled = here.run({"--store", url, "crawl", site->url("/"), "--wait", "--allow-private"});
    const Ran found = there.run({"--store", url, "--json", "search", "granite hammer"});
    const Ran listed = there.run({"--store", url, "status", "--list"});

    CHECK_MESSAGE(crawled.exit_code == 0, crawled.err);
    CHECK_MESSAGE(found.exit_code == 0, found.err);
    CHECK(found.out.contains("guide/install"));
    CHECK(listed.out.contains("completed"));
    const Ran collections = there.run({"--store", url, "--json", "collections", "list"});
    CHECK_MESSAGE(collections.out.contains("\"chunks\":"), collections.err);
    CHECK_MESSAGE(!collections.out.contains("\"chunks\":0"), collections.out);
    CHECK(here.run({"status", "--list"}).out.find("completed") == std::string::npos);  // its own folder
}

TEST_CASE("a store moves to PostgreSQL and back with all that is in it") {
    SHARED_STORE(url, site);
    const DataHome home;
    REQUIRE(home.run({"crawl", site->url("/"), "--wait", "--allow-private"}).exit_code == 0);
    const std::string before = home.run({"export", "pages"}).out;

    const Ran there = home.run({"--json", "migrate-store", home.data(), url});
    const Ran exported = home.run({"--store", url, "export", "pages"});
    const Ran found = home.run({"--store", url, "--json", "search", "granite hammer"});
    const Ran back = home.run({"migrate-store", url, home.data() + "-again"});
    const Ran again = home.run({"--data", home.data() + "-again", "export", "pages"});

    CHECK_MESSAGE(there.exit_code == 0, there.err);
    CHECK(there.out.contains("\"success\":true"));
    CHECK(exported.out == before);
    CHECK_MESSAGE(found.exit_code <= 1, found.err);
    CHECK_MESSAGE(back.exit_code == 0, back.err);
    CHECK(again.out == before);
}

TEST_CASE("jobs may be in Redis, and pages beside it") {
    Redis* const redis = Redis::shared();
    const auto site = Nginx::start(QUARRY_SOURCE "/tests/site");
    if (!redis || !site) {
        MESSAGE("skipped: redis-server or nginx is not installed");
        return;
    }
    const DataHome home;
    const std::string url = redis->url();

    const Ran crawled = home.run({"--store", url, "crawl", site->url("/"), "--wait", "--allow-private"});
    const Ran found = home.run({"--store", url, "--json", "search", "granite hammer"});

    CHECK_MESSAGE(crawled.exit_code == 0, crawled.err);
    CHECK_MESSAGE(found.exit_code == 0, found.err);
    CHECK(found.out.contains("guide/install"));
}

TEST_CASE("the store redis is the one that REDIS_URL names") {
    Redis* const redis = Redis::shared();
    if (!redis) {
        MESSAGE("skipped: redis-server is not installed");
        return;
    }
    const DataHome home({"REDIS_URL=" + redis->url()});
    const std::string url = redis->url();

    const Ran begun = home.run({"--store", "redis", "crawl", "http://127.0.0.1:1/", "--allow-private"});
    const Ran listed = home.run({"--store", url, "status", "--list"});
    home.run({"--store", url, "daemon", "stop"});
    const Ran nowhere = DataHome({"REDIS_URL=http://127.0.0.1:1"}).run({"--store", "redis", "status"});

    CHECK_MESSAGE(begun.exit_code == 0, begun.err);
    CHECK_MESSAGE(listed.out.contains("http://127.0.0.1:1/"), listed.err);
    CHECK(nowhere.exit_code == 2);
    CHECK(nowhere.err.contains("REDIS_URL"));
}

TEST_CASE("without Redis only those go on who have said so") {
    const DataHome home;

    const Ran refused = home.run({"--store", "redis://127.0.0.1:1", "crawl", "http://127.0.0.1:1/"});
    const Ran local = home.run({"--store", "redis://127.0.0.1:1", "--local", "status", "--list"});

    CHECK(refused.exit_code == 2);
    CHECK(refused.err.contains("127.0.0.1"));
    CHECK(local.exit_code != 2);
    CHECK(local.err.contains("alone"));
}

TEST_CASE("a database that cannot be reached is one sentence, without its password") {
    const DataHome home;

    const Ran refused = home.run({"--store", "postgres://quarry:secret@127.0.0.1:1/none", "status"});

    CHECK(refused.exit_code == 2);
    CHECK(refused.err.contains("127.0.0.1"));
    CHECK(!refused.err.contains("secret"));
    CHECK(home.run({"--store", "mysql://x", "status"}).err.contains("postgres://"));
}

}  // namespace quarry::test
