// Workers and servers outlive the database server that they work on.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/mount.h>

#include "db/postgres/connection.h"
#include "program/data_home.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/postgres.h"
#include "servers/redis.h"
#include "servers/tcp_proxy.h"

using namespace quarry::test;
using namespace std::chrono_literals;

namespace {

#define REAL_SERVER(server, Kind)                       \
    const std::unique_ptr<Kind> server = Kind::start(); \
    if (!server) {                                      \
        MESSAGE("skipped: " #Kind " is not installed"); \
        return;                                         \
    }                                                   \
    static_assert(true)

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// `quarry worker`, and what it says.
class Worker {
public:
    explicit Worker(const DataHome& home)
        : log_(home.file("worker.err")), process_({"worker"}, options(home)) {
        wait_for("Working on");
    }
    std::string said() const { return read_file(log_); }
    // The test's own time limit ends a wait that has no end.
    void wait_for(const std::string& words) const {
        while (said().find(words) == std::string::npos) std::this_thread::sleep_for(2ms);
    }
    int stop() {
        process_.send(SIGINT);
        return process_.wait();
    }

private:
    RunOptions options(const DataHome& home) const {
        RunOptions options = home.options();
        options.error_file = log_;
        return options;
    }

    const std::string log_;
    StartedQuarry process_;
};

}  // namespace

TEST_CASE("a worker goes on by itself when PostgreSQL was stopped at once and is back") {
    REAL_SERVER(server, Postgres);
    SlowSite site(300, 10ms);
    const DataHome home({"QUARRY_STORE=" + server->url(server->create_database())});
    Worker worker(home);
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    site.wait_for_requests(60);

    server->stop_at_once();
    worker.wait_for("store lost");
    server->restart();
    worker.wait_for("store back");

    const auto record = home.watch(id);
    CHECK(record.at("status") == "completed");
    CHECK(record.at("urls_completed") == 300);
    CHECK(record.at("urls_failed") == 0);
    CHECK(home.pages_of(id) == site.all_urls());
    CHECK(count_of(worker.said(), "store lost") == 1);
    CHECK(count_of(worker.said(), "store back") == 1);
    CHECK(worker.stop() == 130);
}

TEST_CASE("a worker goes on by itself when Redis was killed and is back") {
    REAL_SERVER(server, Redis);
    SlowSite site(300, 10ms);
    const DataHome home({"QUARRY_STORE=" + server->url()});
    Worker worker(home);
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    site.wait_for_requests(60);

    server->kill();
    worker.wait_for("store lost");
    server->restart();
    worker.wait_for("store back");

    const auto record = home.watch(id);
    CHECK(record.at("status") == "completed");
    CHECK(record.at("urls_completed") == 300);
    CHECK(record.at("urls_failed") == 0);
    CHECK(home.pages_of(id) == site.all_urls());
    CHECK(count_of(worker.said(), "store lost") == 1);
    CHECK(worker.stop() == 130);
}

// A small disk of its own, at a folder. Only root can have one.
class SmallDisk {
public:
    explicit SmallDisk(const std::string& folder) : folder_(folder) {
        std::filesystem::create_directories(folder);
        is_there_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=512m") == 0;
    }
    ~SmallDisk() {
        if (is_there_) umount2(folder_.c_str(), MNT_DETACH);
    }
    bool is_there() const { return is_there_; }
    void fill() const { std::ofstream(folder_ + "/ballast") << std::string(300 << 20, 'x'); }
    void empty() const { std::filesystem::remove(folder_ + "/ballast"); }

private:
    const std::string folder_;
    bool is_there_ = false;
};

TEST_CASE(
    "a server that is short of disk answers what is asked, refuses new work, and goes on when there is "
    "room") {
    const DataHome home({"QUARRY_STORE_LOW_DISK=256MB"});
    const SmallDisk disk(home.data());
    if (!disk.is_there()) {
        MESSAGE("skipped: a small disk can be mounted by root only");
        return;
    }
    SlowSite site(600, 50ms);
    const std::string crawl = fmt::format(R"({{"url":"{}"}})", site.url());
    std::string id;
    {
        Service service(home);
        const auto begun = service.client.post("/v2/crawl", crawl);
        REQUIRE(begun.status == 200);
        id = boost::json::parse(begun.body).at("id").as_string();
        site.wait_for_requests(20);

        disk.fill();
        while (read_file(service.log_file()).find("keeps 256MB free") == std::string::npos)
            std::this_thread::sleep_for(2ms);

        CHECK(service.client.get("/v2/crawl/" + id).status == 200);
        const auto refused = service.client.post("/v2/crawl", crawl);
        CAPTURE(refused.body + read_file(service.log_file()));
        CHECK(refused.status == 503);
        CHECK(service.stop() == 0);
    }
    Service service(home);  // starts below the mark
    CHECK(service.client.get("/v2/crawl/" + id).status == 200);
    CHECK(service.client.post("/v2/crawl", crawl).status == 503);

    disk.empty();
    const auto status = [&] {
        return boost::json::parse(service.client.get("/v2/crawl/" + id).body).at("status").as_string();
    };
    while (status() != "completed") std::this_thread::sleep_for(20ms);

    CHECK(home.pages_of(id) == site.all_urls());
    const auto taken = service.client.post("/v2/crawl", crawl);
    CAPTURE(taken.body);
    CHECK(taken.status == 200);
}

TEST_CASE("a worker that waits for its database stops when it is asked to") {
    REAL_SERVER(server, Postgres);
    const DataHome home({"QUARRY_STORE=" + server->url(server->create_database())});
    Worker worker(home);

    server->kill();
    worker.wait_for("store lost");

    CHECK(worker.stop() == 130);
}

TEST_CASE("a worker stops within its time although its database answers nothing") {
    REAL_SERVER(server, Postgres);
    TcpProxy cable(server->port());
    SlowSite site(300, 10ms);
    std::string url = server->url(server->create_database());
    const std::string port = fmt::format(":{}", server->port());
    const auto place = url.find(port);
    REQUIRE(place != std::string::npos);
    url.replace(place, port.size(), fmt::format(":{}", cable.port()));
    const DataHome home({"QUARRY_STORE=" + url, "QUARRY_WORKER_STOP=1s"});
    Worker worker(home);
    REQUIRE(home.run({"crawl", site.url(), "--allow-private"}).exit_code == 0);
    site.wait_for_requests(20);

    // As when a cable is pulled: nothing fails, and nothing comes.
    cable.stall();

    CHECK(worker.stop() == 130);
    CHECK(count_of(worker.said(), "The next start goes on") == 1);
}

TEST_CASE("a database that may only be read is waited for, and the server says so") {
    REAL_SERVER(server, Postgres);
    SlowSite site(30, 1ms);
    const DataHome home({"QUARRY_STORE=" + server->url(server->create_database())});
    Service service(home);
    const auto await = [&](int status) {
        while (service.client.get("/readyz").status != status) std::this_thread::sleep_for(2ms);
    };
    auto connection = quarry::db::PgConnection::open({.url = server->url()}).value();
    const auto allow_writing = [&](bool yes) {
        const auto sql =
            fmt::format("alter system set default_transaction_read_only = {}", yes ? "off" : "on");
        REQUIRE(connection.execute(sql));
        REQUIRE(connection.execute("select pg_reload_conf()"));
    };
    await(200);

    allow_writing(false);
    await(503);
    const std::string metrics = service.client.get("/metrics").body;
    allow_writing(true);
    await(200);
    const Ran crawled = home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"});

    CHECK(metrics.find("quarry_store_up 0") != std::string::npos);
    CHECK(service.client.get("/metrics").body.find("quarry_store_up 1") != std::string::npos);
    CHECK_MESSAGE(crawled.exit_code == 0, crawled.err);
    CHECK(home.pages_of(id_in(crawled)) == site.all_urls());
    CHECK(service.stop() == 0);
}

TEST_CASE("a server answers that its database is away, and goes on when it is back") {
    REAL_SERVER(server, Postgres);
    SlowSite site(30, 1ms);
    const DataHome home({"QUARRY_STORE=" + server->url(server->create_database())});
    Service service(home);
    const auto await = [&](int status) {
        while (service.client.get("/readyz").status != status) std::this_thread::sleep_for(2ms);
    };
    await(200);

    server->stop_at_once();
    await(503);
    const ApiAnswer refused = service.client.post("/v2/crawl", fmt::format(R"({{"url":"{}"}})", site.url()));
    server->restart();
    await(200);
    const Ran crawled = home.run({"crawl", site.url(), "--allow-private", "--wait", "--json"});

    CHECK(refused.status == 503);
    CHECK_MESSAGE(crawled.exit_code == 0, crawled.err);
    CHECK(home.pages_of(id_in(crawled)) == site.all_urls());
    CHECK(service.stop() == 0);
}
