// What is kept is for nobody but its user, and passwords are shown to nobody at all.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "program/data_home.h"
#include "program/service.h"
#include "program/slow_site.h"
#include "servers/hostile_server.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

bool is_closed_to_others(const fs::path& path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) != 0 || (status.st_mode & 077) == 0;
}

void check_closed(const std::string& folder) {
    CHECK(is_closed_to_others(folder));
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        CAPTURE(entry.path().string());
        CHECK(is_closed_to_others(entry.path()));
    }
}

std::string text_of(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("files and folders of quarry are closed to others, also those of earlier versions") {
    SlowSite site(3, 0ms);
    const DataHome home;
    std::ofstream(home.file("notes.jsonl")) << R"({"_id":"a","title":"T","text":"Granite."})" << "\n";
    REQUIRE(home.run({"crawl", site.url(), "--allow-private"}).exit_code == 0);
    REQUIRE(home.run({"import", home.file("notes.jsonl"), "--collection", "notes"}).exit_code == 0);
    REQUIRE(home.run({"backup", home.file("copy.db")}).exit_code == 0);
    check_closed(home.data());
    CHECK(is_closed_to_others(home.file("copy.db")));
    REQUIRE(home.run({"daemon", "stop"}).exit_code == 0);

    for (const char* name : {"/quarry.db", "/index.db"}) fs::permissions(home.data() + name, fs::perms(0644));
    REQUIRE(home.run({"crawl", site.url(), "--allow-private", "--wait"}).exit_code == 0);

    check_closed(home.data());
}

TEST_CASE("a data folder that others can look into is said so") {
    const DataHome home;
    fs::create_directory(home.data());
    fs::permissions(home.data(), fs::perms(0755));

    const Ran worker = home.run({"worker", "--idle-exit", "1ms"});
    const Ran doctor = home.run({"doctor"});

    CHECK(worker.exit_code == 0);
    CHECK(contains(worker.err, "others on this machine can look into the data folder " + home.data()));
    CHECK(contains(worker.err, "chmod 700"));
    CHECK(contains(doctor.out, "chmod 700 " + home.data()));
    fs::permissions(home.data(), fs::perms(0700));
    CHECK_FALSE(contains(home.run({"worker", "--idle-exit", "1ms"}).err, "others on this machine"));
}

TEST_CASE("a password in a URL is sent to its server, and shown nowhere") {
    HostileServer server;
    const std::string own = server.url("").substr(std::string("http://").size());
    const std::string link = "http://bob:linkedword@" + own + "/linked";
    server.on("/*", [&](const ServerRequest& request, Connection& connection) {
        if (request.target == "/missing") {
            connection.respond(404, {}, "no");
            return;
        }
        if (request.target == "/away") {
            connection.respond(302, {{"Location", "http://bob:linkedword@127.0.0.1:1/x"}}, "");
            return;
        }
        connection.respond(200, {{"Content-Type", "text/html"}},
                           "<title>" + request.target + "</title><main><p>Words about granite at " +
                               request.target + ".</p><a href='" + link + "'>a</a><a href='/missing'>b</a>" +
                               "<a href='/away'>c</a><a href='http://bob:linkedword@" + own +
                               "/missing'>d</a></main>");
    });
    const DataHome home;
    const std::string start = "http://ann:secretword@" + own + "/";

    const Ran crawled = home.run({"crawl", start, "--allow-private", "--json"});
    REQUIRE(crawled.exit_code == 0);
    const std::string id = id_in(crawled);
    home.watch(id);

    const Ran shown[] = {crawled,
                         home.run({"status", "--list"}),
                         home.run({"status", id, "--json"}),
                         home.run({"status", id, "--errors"}),
                         home.run({"status", id, "--errors", "--json"}),
                         home.run({"queue", "list", "--json"}),
                         home.run({"queue", "list", "--state", "completed", "--json"}),
                         home.run({"queue", "list", "--state", "failed"}),
                         home.run({"search", "granite", "--json"}),
                         home.run({"search", "granite"}),
                         home.run({"export", "pages", "--without-content"}),
                         home.run({"scrape", "-v", start, "--allow-private", "-o", home.file("page.md")}),
                         home.run({"scrape", "http://ann:secretword@" + own + "/missing", "--allow-private"}),
                         home.run({"scrape", start, link, "--allow-private"}),
                         home.run({"map", start, "--allow-private", "--json"}),
                         home.run({"doctor"}),
                         home.run({"config", "show", "--store", "postgres://ann@db/x?password=secretword"})};
    for (const Ran& ran : shown) {
        CAPTURE(ran.out);
        CAPTURE(ran.err);
        CHECK_FALSE(contains(ran.out, "secretword"));
        CHECK_FALSE(contains(ran.err, "secretword"));
        // Pages may hold whatever their site shows to everybody; what we say of them does not.
        CHECK_FALSE(contains(ran.err, "linkedword"));
    }
    for (const int i : {1, 2, 3, 4, 5, 6, 7, 9, 10}) {
        CAPTURE(shown[i].out);
        CHECK_FALSE(contains(shown[i].out, "linkedword"));
    }
    const std::string log = text_of(home.data() + "/worker.log");
    CHECK(contains(log, "http://" + own + "/"));
    CHECK_FALSE(contains(log, "secretword"));
    CHECK_FALSE(contains(log, "linkedword"));
    // ann:secretword
    const auto requests = server.requests();
    const auto logs_in = [&](const std::string& target) {
        for (const ServerRequest& request : requests)
            if (request.target == target &&
                quarry::header_value(request.headers, "authorization") == "Basic YW5uOnNlY3JldHdvcmQ=")
                return true;
        return false;
    };
    CHECK(logs_in("/"));
    CHECK(logs_in("/linked"));
}
