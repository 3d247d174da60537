// Workers that are killed at any moment, and data folders that two want at once.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/data_folder.h"
#include "app/owner/client.h"
#include "app/owner/server.h"
#include "db/sqlite.h"
#include "effort.h"
#include "program/data_home.h"
#include "program/slow_site.h"

using namespace quarry;
using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

TEST_CASE("a crawl whose worker is killed again and again completes with every page once") {
    SlowSite site(1'000, 30ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    const app::DataFolder folder{home.data()};
    std::mt19937 random(20'261'116);
    std::uniform_int_distribution<int> life_ms(20, 160);
    int kills = 0;
    // The first worker is the one that `crawl` started; it is killed by the pid that the lock names.
    std::this_thread::sleep_for(std::chrono::milliseconds(life_ms(random)));
    if (const auto holder = app::lock_holder(folder)) kills += kill(holder->process, SIGKILL) == 0;

    while (kills < 50) {
        StartedQuarry worker({"worker", "--background", "--idle-exit", "30s"}, home.options());
        std::this_thread::sleep_for(std::chrono::milliseconds(life_ms(random)));
        worker.send(SIGKILL);
        worker.wait();
        ++kills;
    }
    const auto done_before = home.status(id).at("urls_completed").to_number<int>();
    const Ran last = home.run({"worker", "--once"});

    CHECK(last.exit_code == 0);
    const json::object record = home.status(id);
    CHECK(record.at("status") == "completed");
    CHECK(record.at("urls_completed") == 1'000);
    CHECK(record.at("urls_failed") == 0);
    CHECK(home.pages_of(id) == site.all_urls());
    MESSAGE("killed " << kills << " workers, which completed " << done_before << " pages");
}

TEST_CASE("who waits for a crawl goes on with it when its worker is killed") {
    SlowSite site(200, 20ms);
    const DataHome home;
    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);
    const pid_t worker = app::lock_holder({home.data()})->process;
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(30);

    REQUIRE(kill(worker, SIGKILL) == 0);

    CHECK(waiting.wait() == 0);
    const auto record = json::parse(home.run({"status", "--list", "--json"}).out).as_array().at(0);
    CHECK(record.at("status") == "completed");
    CHECK(home.pages_of(std::string(record.at("crawl_id").as_string())) == site.all_urls());
}

TEST_CASE("of two crawls that wait on one data folder the second speaks to the first") {
    SlowSite site(150, 20ms), other(30, 20ms);
    const DataHome home;
    StartedQuarry first({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(10);

    const Ran second = home.run({"crawl", other.url(), "--allow-private", "--wait", "--json"});

    CHECK(second.exit_code == 0);
    CHECK(home.pages_of(id_in(second)) == other.all_urls());
    CHECK(first.wait() == 0);
    CHECK(json::parse(home.run({"status", "--list", "--json"}).out).as_array().size() == 2);
}

TEST_CASE("a crawl that was queued while another waited is not forgotten when that one ends") {
    SlowSite site(60, 20ms), other(300, 20ms);
    const DataHome home;
    StartedQuarry first({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(10);
    const std::string id = id_in(home.run({"crawl", other.url(), "--allow-private"}));

    CHECK(first.wait() == 0);

    CHECK(home.watch(id).at("status") == "completed");
    CHECK(home.pages_of(id) == other.all_urls());
}

TEST_CASE("a crawl that is added while the worker leaves is run all the same") {
    SlowSite site(3, 0ms);
    const DataHome home;
    // Workers that leave as soon as they have nothing to do, again and again at the moment that crawls come.
    for (std::uint64_t i = 0; i < rounds(25); ++i) {
        StartedQuarry worker({"worker", "--background", "--idle-exit", "1ms"}, home.options());
        std::this_thread::sleep_for(std::chrono::milliseconds(i % 25 * 2));
        const Ran ran = home.run({"crawl", site.url(), "--allow-private"});
        REQUIRE(ran.exit_code == 0);
        CHECK(home.watch(id_in(ran)).at("status") == "completed");
        worker.send(SIGTERM);
    }
}

TEST_CASE("an older worker in the background hands over to a newer command") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const app::DataFolder folder{home.data()};
    std::optional<app::FolderLock> lock = app::FolderLock::take(folder, "0.0.1").value();
    std::atomic<bool> asked = false;
    auto server = app::OwnerServer::start(
                      folder.socket(), {.version = "0.0.1", .role = app::OwnerRole::background, .process = 1},
                      [&](const std::string& method, const json::object&) -> Result<json::value> {
                          asked = method == "handover";
                          return json::object();
                      })
                      .value();
    std::jthread leaving([&] {
        while (!asked) std::this_thread::sleep_for(1ms);
        server->leave();
        lock.reset();
    });

    const Ran ran = home.run({"crawl", site.url(), "--allow-private", "--wait"});

    CHECK(asked);
    CHECK(ran.exit_code == 0);
}

TEST_CASE("an owner of another protocol in the foreground is left alone, in a sentence") {
    const DataHome home;
    const app::DataFolder folder{home.data()};
    const auto lock = app::FolderLock::take(folder, "0.0.1").value();
    const auto server =
        app::OwnerServer::start(
            folder.socket(),
            {.protocol = 99, .version = "0.0.1", .role = app::OwnerRole::foreground, .process = 7},
            [](const std::string&, const json::object&) -> Result<json::value> { return {}; })
            .value();

    const Ran ran = home.run({"crawl", "http://127.0.0.1:1/"});

    CHECK(ran.exit_code == 2);
    CHECK(contains(ran.err, "older quarry (0.0.1, process 7)"));
    CHECK(contains(ran.err, "--data"));
}

TEST_CASE("a database that is corrupt or of a newer quarry is refused and left as it is") {
    const DataHome home;
    std::filesystem::create_directories(home.data());
    const std::string database = home.data() + "/quarry.db";
    const std::string garbage(8'192, 'x');
    std::ofstream(database, std::ios::binary) << garbage;
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"crawl", "http://127.0.0.1:1/"},
                                               {"crawl", "http://127.0.0.1:1/", "--wait"},
                                               {"status"},
                                               {"queue", "list"},
                                               {"worker", "--once"},
                                               {"daemon", "start"},
                                               {"export", "pages"}}) {
        CAPTURE(command.front());
        const Ran ran = home.run(command);
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, "quarry.db"));
        CHECK(ran.out.empty());
    }
    CHECK(read_file(database) == garbage);
}

TEST_CASE("pages that are damaged are named, and the others are exported") {
    SlowSite site(3, 0ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--allow-private", "--wait"}).exit_code == 0);
    {
        auto connection = db::Connection::open(home.data() + "/quarry.db", db::Access::write).value();
        REQUIRE(
            connection.execute("UPDATE content SET markdown = x'28b52ffd00' WHERE id = "
                               "(SELECT min(id) FROM content)"));
    }

    const Ran ran = home.run({"export", "pages"});

    CHECK(ran.exit_code == 1);
    CHECK(std::ranges::count(ran.out, '\n') == 2);
    CHECK(contains(ran.err, site.url()));
    CHECK(contains(ran.err, "quarry backup"));
}

TEST_CASE("a database of a newer quarry is refused, and says which version it is") {
    SlowSite site(1, 0ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--allow-private", "--wait"}).exit_code == 0);
    const std::string database = home.data() + "/quarry.db";
    {
        auto connection = db::Connection::open(database, db::Access::write).value();
        REQUIRE(connection.execute("PRAGMA user_version = 999"));
    }
    const std::string before = read_file(database);

    for (const char* command : {"status", "worker"}) {
        const Ran ran = home.run({command, command == std::string("worker") ? "--once" : "--list"});
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, "newer"));
    }
    CHECK(read_file(database) == before);
}
