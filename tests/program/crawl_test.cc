// `quarry crawl` and `quarry status` against real servers, with data folders of their own.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/data_home.h"
#include "program/slow_site.h"
#include "servers/nginx.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

#define START_NGINX(name)                                        \
    const auto name = Nginx::start(QUARRY_SOURCE "/tests/site"); \
    if (!name) {                                                 \
        MESSAGE("skipped: nginx is not installed");              \
        return;                                                  \
    }

}  // namespace

TEST_CASE("crawl --wait fetches a site, says so to people and gives programs the record") {
    START_NGINX(nginx);
    const DataHome home;

    const Ran ran = home.run({"crawl", nginx->url("/"), "--allow-private", "--wait", "--json"});

    CHECK(ran.exit_code == 0);
    const json::object record = json::parse(ran.out).as_object();
    CHECK(record.at("status") == "completed");
    CHECK(record.at("urls_completed") == 4);
    CHECK(record.at("urls_failed") == 0);
    CHECK(record.at("progress") == 100);
    CHECK(record.at("error").is_null());
    CHECK(contains(ran.err, "Crawling " + nginx->url("/")));
    CHECK(contains(ran.err, "4 pages, "));
    CHECK(contains(ran.err, ", 1 skipped by robots.txt"));
    CHECK_FALSE(contains(nginx->access_log(), "/private/"));
    CHECK_FALSE(std::filesystem::exists(home.data() + "/quarry.sock"));
}

TEST_CASE("crawl returns at once with an id, and a worker in the background does the rest") {
    START_NGINX(nginx);
    const DataHome home;

    const Ran ran = home.run({"crawl", nginx->url("/"), "--allow-private"});

    REQUIRE(ran.exit_code == 0);
    CHECK(json::parse(ran.out).at("success") == true);
    const std::string id = id_in(ran);
    CHECK(contains(ran.err, "quarry status " + id + " --watch"));
    CHECK(home.watch(id).at("status") == "completed");
    CHECK(home.pages_of(id).size() == 4);
    CHECK(home.run({"daemon", "status"}).exit_code == 0);
    CHECK(contains(home.run({"daemon", "logs"}).out, "crawl completed id=" + id));
}

TEST_CASE("--progress prints lines where nothing can be redrawn") {
    START_NGINX(nginx);
    const DataHome home;

    const Ran ran = home.run({"crawl", nginx->url("/"), "--allow-private", "--progress"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.err, "Progress: "));
    CHECK(contains(ran.err, " pages (running)"));
    CHECK(contains(ran.err, "Progress: 4/5 pages ("));
    CHECK(contains(ran.err, "Embedded 1 chunk for " + nginx->url("/guide/install.html")));
    CHECK_FALSE(contains(ran.err, "\033["));
    CHECK(json::parse(ran.out).at("status") == "completed");
    CHECK(json::parse(ran.out).at("urls_completed") == 4);
}

TEST_CASE("on a terminal a crawl has a bar with its share and the time left, which is gone at the end") {
    SlowSite site(200, 40ms);
    const DataHome home;

    const Ran ran = run_on_terminal({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    if (ran.exit_code == 127) {
        MESSAGE("skipped: script is not installed");
        return;
    }

    CAPTURE(ran.out);
    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "\033[34mrunning"));
    CHECK(contains(ran.out, "█░"));
    CHECK(contains(ran.out, "/200 URLs"));
    CHECK(contains(ran.out, ", about "));
    const std::size_t bar = std::max(ran.out.rfind("█"), ran.out.rfind("░"));
    const std::size_t cleared = ran.out.find("\r\033[J", bar);
    REQUIRE(cleared != std::string::npos);
    CHECK(ran.out.find("200 pages, 200 chunks") > cleared);
    const Ran listed = run_on_terminal({"status", "--list"}, home.options());
    CHECK(contains(listed.out, "\033[32mcompleted"));
}

TEST_CASE("-o writes the pages as files, also those that a second crawl finds unchanged") {
    START_NGINX(nginx);
    const DataHome home;
    const std::string host = "127.0.0.1_" + std::to_string(nginx->port());

    for (const std::string& folder : {home.file("first"), home.file("second")}) {
        const Ran ran = home.run({"crawl", nginx->url("/"), "--allow-private", "-o", folder + "/"});
        CHECK(ran.exit_code == 0);
        CHECK(contains(read_file(folder + "/" + host + "/guide/install.html.md"), "# Installing Granite"));
        CHECK(std::filesystem::exists(folder + "/" + host + "/index.md"));
    }
    CHECK(home.run({"crawl", nginx->url("/"), "--allow-private", "-o", home.file("file.md")}).exit_code == 2);
}

TEST_CASE("a crawl whose pages fail ends with 1, and status --errors says why") {
    START_NGINX(nginx);
    const DataHome home;

    const Ran ran =
        home.run({"crawl", nginx->url("/nothing/here.html"), "--allow-private", "--wait", "--json"});

    CHECK(ran.exit_code == 1);
    const std::string id = id_in(ran);
    const Ran errors = home.run({"status", id, "--errors"});
    CHECK(errors.exit_code == 0);
    CHECK(contains(errors.out, "/nothing/here.html"));
    CHECK(contains(errors.out, "404"));
    const auto records = json::parse(home.run({"status", id, "--errors", "--json"}).out).as_array();
    REQUIRE(records.size() == 1);
    CHECK(records[0].at("statusCode") == 404);
}

TEST_CASE("what robots.txt forbids is listed with the errors") {
    START_NGINX(nginx);
    const DataHome home;

    const Ran ran = home.run({"crawl", nginx->url("/"), "--allow-private", "--wait", "--json"});

    CHECK(contains(home.run({"status", id_in(ran), "--errors"}).out, "/private/plans.html"));
    const Ran all =
        home.run({"crawl", nginx->url("/"), "--allow-private", "--ignore-robots", "--wait", "--json"});
    CHECK(json::parse(all.out).at("urls_completed") == 5);
}

TEST_CASE("what cannot work is refused before anything is stored") {
    const DataHome home;
    struct Row {
        std::vector<std::string> arguments;
        const char* says;
    };
    const Row rows[] = {
        {{"crawl"}, "No URLs provided"},
        {{"crawl", "ftp://a.example/"}, "ftp"},
        {{"crawl", "https://a.example/", "--limit", "0"}, "crawl.limit"},
        {{"crawl", "https://a.example/", "--include", "("}, "("},
        {{"crawl", "https://a.example/", "--sitemap", "maybe"}, "include, skip or only"},
        {{"crawl", "https://a.example/", "--priority", "urgent"}, "priority"},
        {{"crawl", "https://a.example/", "--formats", "word"}, "word"},
        {{"crawl", "https://a.example/", "--include-tags", "<"}, "<"},
        {{"crawl", "https://a.example/", "--header", "broken"}, "broken"},
        {{"crawl", "https://a.example/", "--delay", "soon"}, "soon"},
        {{"crawl", "https://a.example/", "--limt", "3"}, "did you mean \"--limit\"?"},
        {{"crawl", "--cancel"}, "name a crawl"},
        {{"crawl", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10"}, "is the id of a crawl"},
        {{"queue", "clear"}, "--all"},
        {{"queue", "list", "--state", "broken"}, "state"},
        {{"status", "--errors"}, "id of a crawl"},
        {{"worker", "--idle-exit", "soon"}, "--idle-exit"},
    };
    SlowSite site(1, 0ms);
    CHECK(home.run({"crawl", site.url(), "--allow-private", "--wait"}).exit_code == 0);  // a store to look at
    for (const Row& row : rows) {
        CAPTURE(row.says);
        const Ran ran = home.run(row.arguments);
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, row.says));
        CHECK(ran.out.empty());
    }
    CHECK(json::parse(home.run({"status", "--list", "--json"}).out).as_array().size() == 1);
}

TEST_CASE("status without crawls, and of an unknown one") {
    const DataHome home;

    CHECK(contains(home.run({"status"}).err, "No recent crawls"));
    CHECK(contains(home.run({"status", "--active"}).err, "No active crawl"));
    const Ran unknown = home.run({"status", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10"});
    CHECK(unknown.exit_code == 1);
    CHECK(contains(unknown.err, "Crawl not found"));
    CHECK(contains(home.run({"search", "granite"}).err, "Begin with quarry crawl URL"));
}

TEST_CASE("a crawl is found by the beginning of its id") {
    START_NGINX(nginx);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", nginx->url("/"), "--allow-private", "--wait", "--json"}));

    CHECK(home.status(id.substr(0, 13)).at("crawl_id") == id.c_str());
    CHECK(home.run({"status", "ffff"}).exit_code == 1);
    CHECK(home.run({"status", "ffffffff-ffff-7fff-bfff-ffffffffffff"}).exit_code == 1);
    const auto listed = json::parse(home.run({"status", "--list", "--json"}).out).as_array();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].at("crawl_id") == id.c_str());
    CHECK(contains(home.run({"status", "--list"}).out, id + "  completed"));
}

TEST_CASE("a crawl can be paused, resumed and cancelled from other commands") {
    SlowSite site(400, 20ms);
    const DataHome home;
    const std::string id = id_in(home.run({"crawl", site.url(), "--allow-private", "--limit", "400"}));
    site.wait_for_requests(20);

    const Ran paused = home.run({"crawl", id, "--pause"});
    CHECK(paused.exit_code == 0);
    CHECK(json::parse(paused.out).at("data").at("status") == "paused");
    CHECK(home.status(id).at("status") == "paused");
    CHECK(home.run({"crawl", id, "--resume"}).exit_code == 0);
    CHECK(home.watch(id).at("status") == "completed");
    CHECK(home.pages_of(id) == site.all_urls());

    const Ran over = home.run({"crawl", id, "--cancel"});
    CHECK(over.exit_code == 2);
    CHECK(home.run({"crawl", "ffffffff", "--cancel"}).exit_code == 1);

    const std::string second = id_in(home.run({"crawl", site.url(), "--allow-private"}));
    CHECK(home.run({"crawl", second, "--cancel"}).exit_code == 0);
    CHECK(home.status(second).at("status") == "cancelled");
}

TEST_CASE("Ctrl-C pauses a crawl that one waits for, and resuming it gives the same pages") {
    SlowSite site(200, 20ms);
    const DataHome home;
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(30);

    waiting.send(SIGINT);

    CHECK(waiting.wait() == 130);
    const auto paused =
        json::parse(home.run({"status", "--list", "--json"}).out).as_array().at(0).as_object();
    const std::string id(paused.at("crawl_id").as_string());
    CHECK(paused.at("status") == "paused");
    CHECK(paused.at("urls_running") == 0);
    CHECK(paused.at("urls_completed").to_number<int>() < 200);
    const Ran resumed = home.run({"crawl", id, "--resume", "--wait", "--json"});
    CHECK(resumed.exit_code == 0);
    CHECK(id_in(resumed) == id);
    CHECK(home.pages_of(id) == site.all_urls());
    // Nothing that was finished before is fetched again.
    CHECK(site.server().count_requests("/p/") == 1);
}

TEST_CASE("Ctrl-C on a crawl that a worker runs pauses it there") {
    SlowSite site(400, 20ms);
    const DataHome home;
    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(20);

    waiting.send(SIGINT);

    CHECK(waiting.wait() == 130);
    const auto record = json::parse(home.run({"status", "--list", "--json"}).out).as_array().at(0);
    CHECK(record.at("status") == "paused");
    CHECK(home.run({"daemon", "status"}).exit_code == 0);
}

TEST_CASE("--exclusive waits its turn and says at which position") {
    SlowSite site(300, 20ms);
    const DataHome home;
    REQUIRE(home.run({"crawl", site.url(), "--allow-private"}).exit_code == 0);
    site.wait_for_requests(5);

    const Ran second = home.run({"crawl", site.url(), "--allow-private", "--exclusive", "--limit", "1"});

    CHECK(contains(second.err, "Crawl queued at position 1"));
    CHECK(json::parse(second.out).at("data").at("queuePosition") == 1);
    CHECK(home.status(id_in(second)).at("queue_position") == 1);
    CHECK(home.watch(id_in(second)).at("status") == "completed");
}
