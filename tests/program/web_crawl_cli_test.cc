// The design "Web Crawl CLI": its commands, its error table and its edge cases, as its readers would try
// them.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <regex>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "base/guarded.h"
#include "program/data_home.h"
#include "program/mixed_site.h"
#include "program/slow_site.h"
#include "servers/hostile_server.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

Ran scrape(std::vector<std::string> arguments, int retries = 0) {
    arguments.insert(arguments.begin(), {"scrape", "--allow-private", "--retries", std::to_string(retries)});
    return run_quarry(arguments);
}

Ran crawl(const DataHome& home, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"crawl", "--allow-private"});
    return home.run(arguments);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

// --- Commands

TEST_CASE("without arguments the program prints help, and every command leads with examples") {
    CHECK(contains(run_quarry({}).out + run_quarry({}).err, "scrape"));
    for (const char* name : {"scrape", "crawl", "map", "extract", "screenshot", "status", "watch"}) {
        CAPTURE(std::string(name));
        const Ran help = run_quarry({name, "--help"});
        CHECK(help.exit_code == 0);
        CHECK(contains(help.out, std::string("quarry ") + name));
    }
}

TEST_CASE("scrape URL prints the main content as markdown, and -o FILE saves it") {
    MixedSite site;
    const TemporaryFolder folder;

    const Ran printed = scrape({site.url("good")});
    const Ran saved = scrape({site.url("good"), "-o", folder.file("page.md")});

    CHECK(printed.exit_code == 0);
    CHECK(contains(printed.out, "Granite is solid and grey."));
    CHECK_FALSE(contains(printed.out, "Navigation of the site"));
    CHECK(saved.exit_code == 0);
    CHECK(read_file(folder.file("page.md")) == printed.out);
}

TEST_CASE("scrape url1 url2 url3 -o DIR/ makes the folder and a file for each page") {
    MixedSite site;
    const TemporaryFolder folder;

    const Ran ran =
        scrape({site.url("good"), site.url("other"), site.url("good"), "-o", folder.file("output") + "/"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.err, "2 succeeded, 0 failed"));
    CHECK(site.requests_for("good") == 1);
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("output")))
        files += entry.is_regular_file() ? 1 : 0;
    CHECK(files == 2);
}

TEST_CASE("scrape -f reads URLs from a file, after those of the arguments, and -c keeps their order") {
    MixedSite site;
    const TemporaryFolder folder;
    const std::string file = folder.write("urls.txt", "# stones\n\n  " + site.url("good") + "  \n");

    const Ran ran = scrape({site.url("other"), "-f", file, "-c", "5", "--json"});

    CHECK(ran.exit_code == 0);
    const auto lines = lines_of(ran.out);
    REQUIRE(lines.size() == 2);
    const json::object first = json::parse(lines[0]).as_object();
    CHECK(first.at("url").as_string() == site.url("other"));
    for (const char* field :
         {"url", "success", "markdown", "title", "description", "status_code", "crawl_timestamp", "error"})
        CHECK_MESSAGE(first.contains(field), field);
    CHECK(json::parse(lines[1]).at("url").as_string() == site.url("good"));
}

TEST_CASE("scrape fetches five pages at once, or as many as -c says") {
    // A page is answered when as many are under way as may be, or will not be.
    struct UnderWay {
        int now = 0, most = 0;
    };
    for (const int wanted : {5, 2}) {
        CAPTURE(wanted);
        quarry::Guarded<UnderWay> under_way;
        HostileServer server;
        server.on("/*", [&](const ServerRequest&, Connection& connection) {
            under_way.with([](UnderWay& pages) { pages.most = std::max(pages.most, ++pages.now); });
            for (int tries = 0; tries < 400; ++tries) {
                if (under_way.with([&](const UnderWay& pages) { return pages.most >= wanted; })) break;
                connection.pause(5ms);
            }
            connection.pause(20ms);
            under_way.with([](UnderWay& pages) { --pages.now; });
            connection.respond(200, {{"Content-Type", "text/plain"}}, "Granite is solid and grey.");
        });
        std::vector<std::string> arguments;
        for (int page = 0; page < 12; ++page) arguments.push_back(server.url("/" + std::to_string(page)));
        if (wanted != 5) arguments.insert(arguments.end(), {"-c", std::to_string(wanted)});

        const Ran ran = scrape(arguments);

        CHECK(ran.exit_code == 0);
        CHECK(under_way.with([](const UnderWay& pages) { return pages.most; }) == wanted);
    }
}

TEST_CASE("crawl keeps pages as chunks, and status tells of it by id, with --list and with --active") {
    MixedSite site;
    const DataHome home;

    const Ran ran = crawl(home, {site.url("good"), site.url("other"), "--depth", "0", "--wait"});
    REQUIRE(ran.exit_code == 0);
    CHECK(contains(ran.err, "2 pages, 2 chunks"));
    CHECK(contains(ran.err, site.url("good") + " and 1 more"));
    CHECK(contains(ran.err, "Try: quarry search"));
    const json::object record =
        json::parse(home.run({"status", "--list", "--json"}).out).as_array().at(0).as_object();
    const std::string id(record.at("crawl_id").as_string());
    CHECK(record.at("chunks") == 2);
    for (const char* field : {"status", "started_at", "completed_at", "current_url", "progress", "urls_total",
                              "urls_completed", "urls_failed", "queue_position", "error"})
        CHECK_MESSAGE(record.contains(field), field);

    const Ran one = home.run({"status", id}), list = home.run({"status", "--list"});
    CHECK(contains(one.out, "2 pages in 2 chunks"));
    CHECK(contains(one.out, "completed"));
    CHECK(contains(list.out, "CHUNKS"));
    CHECK(contains(list.out, id));
    CHECK(contains(home.run({"status", "--active"}).err, "No active crawl"));
    CHECK(contains(home.run({"status"}).out, id));
}

TEST_CASE("crawl --depth follows links, and a queued crawl keeps its own depth") {
    SlowSite site(7, 0ms);
    const DataHome home;

    const std::string deep =
        id_in(crawl(home, {site.url(), "--sitemap", "skip", "--depth", "1", "--wait", "--json"}));
    CHECK(home.pages_of(deep).size() == 3);
    const std::string queued = id_in(crawl(home, {site.url(), "--sitemap", "skip", "--depth", "0"}));
    CHECK(home.watch(queued).at("urls_completed") == 1);
}

TEST_CASE("crawl --limit keeps no more pages than that, and says so") {
    SlowSite site(15, 0ms);
    const DataHome home;

    const Ran ran = crawl(home, {site.url(), "--sitemap", "skip", "--limit", "4", "--wait", "--json"});

    CHECK(ran.exit_code == 0);
    CHECK(json::parse(ran.out).at("urls_completed") == 4);
    CHECK(home.pages_of(id_in(ran)).size() == 4);
    CHECK(contains(ran.err, "(up to 4 pages)"));
    CHECK(contains(ran.err, "4 pages, which is the limit"));
}

TEST_CASE("a crawl that may not run beside another is queued at a position, and runs when its turn comes") {
    SlowSite site(60, 20ms);
    const DataHome home;
    REQUIRE(crawl(home, {site.url()}).exit_code == 0);
    site.wait_for_requests(2);

    const Ran second = crawl(home, {site.url(), "--exclusive", "--limit", "1"});

    CHECK(second.exit_code == 0);
    CHECK(contains(second.err, "Crawl queued at position 1"));
    CHECK(contains(second.err, "quarry status " + id_in(second)));
    CHECK(home.watch(id_in(second)).at("status") == "completed");
}

// --- Error handling

TEST_CASE("what cannot be a URL is refused before anything is fetched or queued") {
    MixedSite site;
    const DataHome home;

    for (const char* command : {"scrape", "crawl", "map", "extract", "screenshot", "robots"}) {
        CAPTURE(std::string(command));
        const Ran ran = home.run({command, "notaurl"});
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, "Invalid URL \"notaurl\""));
        CHECK(ran.out.empty());
    }
    CHECK(crawl(home, {site.url("good"), "notaurl"}).exit_code == 2);
    CHECK(contains(home.run({"status", "--list"}).err, "No recent crawls"));
    CHECK(site.requests_for("good") == 0);
}

TEST_CASE("no URLs, and a file that is not there") {
    const DataHome home;

    for (const char* command : {"scrape", "crawl"}) {
        CHECK(contains(home.run({command}).err, "No URLs provided"));
        CHECK(home.run({command}).exit_code == 2);
        const Ran missing = home.run({command, "-f", "/nonexistent/urls.txt"});
        CHECK(missing.exit_code == 2);
        CHECK(contains(missing.err, "File not found: /nonexistent/urls.txt"));
    }
}

TEST_CASE("a 4xx is not tried again, a 5xx is") {
    MixedSite site;

    CHECK(contains(scrape({site.url("dead")}, 3).err, "404"));
    CHECK(site.requests_for("dead") == 1);
    const Ran flaky = scrape({site.url("flaky")}, 3);
    CHECK(flaky.exit_code == 0);
    CHECK(contains(flaky.out, "It works the third time."));
    CHECK(site.requests_for("flaky") == 3);
}

TEST_CASE("a crawl tries a URL as often as crawl.attempts says") {
    MixedSite site;
    const DataHome home({"QUARRY_CRAWL_ATTEMPTS=1"});

    const Ran ran = crawl(home, {site.url("flaky"), "--only-these", "--wait", "--json"});

    CHECK(ran.exit_code == 1);
    CHECK(site.requests_for("flaky") == 1);
    const json::value listed = json::parse(home.run({"queue", "list", "--kind", "fetch_page", "--json"}).out);
    REQUIRE(listed.as_array().size() == 1);
    CHECK(listed.at(0).at("maxRetries") == 1);
}

TEST_CASE("a server that is not there or does not answer fails with a sentence") {
    MixedSite site;

    const Ran gone = scrape({"http://127.0.0.1:1/"});
    CHECK(gone.exit_code == 1);
    CHECK(contains(gone.err, "error: "));
    const Ran silent = scrape({site.url("silent"), "--timeout", "300ms", "--json"});
    CHECK(silent.exit_code == 1);
    const json::object record = json::parse(silent.out).as_object();
    CHECK(record.at("success") == false);
    CHECK(record.at("status_code") == 0);
    CHECK(contains(record.at("error").as_string(), "did not answer within 300 ms"));
}

TEST_CASE("a crawl of good, empty, binary, dead and busy pages says what became of each") {
    MixedSite site;
    const DataHome home;

    const Ran ran = crawl(home, {site.url(), "--sitemap", "skip", "--wait", "--json"});

    CHECK(ran.exit_code == 1);
    const json::object record = json::parse(ran.out).as_object();
    const std::string id(record.at("crawl_id").as_string());
    CHECK(record.at("urls_completed") ==
          3);  // the start, good, and busy, which said no more often than it is tried
    CHECK(record.at("urls_failed") == 1);
    CHECK(site.requests_for("busy") == 5);
    CHECK(contains(ran.err, "3 pages, "));
    CHECK(contains(ran.err, "1 failed"));
    CHECK(contains(ran.err, "1 without text"));
    CHECK(contains(ran.err, "not a page"));
    CHECK(contains(ran.err, site.url("dead") + ": HTTP 404 Not Found"));
    CHECK(contains(ran.err, "quarry status " + id + " --errors"));
    CHECK(contains(ran.err, "quarry search"));
    const Ran errors = home.run({"status", id, "--errors"});
    CHECK_FALSE(contains(errors.err, "Nothing failed"));
    CHECK(contains(errors.out, site.url("dead")));
    CHECK(contains(errors.out, site.url("empty") + "  the page has no text"));
    CHECK(contains(errors.out, site.url("download")));
    CHECK(contains(home.run({"status", id}).out, "1 without text"));
}

TEST_CASE("while a server asks for patience, it is said what waits, for how long and why") {
    HostileServer server;
    server.on("/*", [](const ServerRequest& request, Connection& connection) {
        const bool is_page = request.path != "/robots.txt";
        connection.respond(is_page ? 429 : 404, {{"Retry-After", "60"}}, "not now");
    });
    const DataHome home;
    const std::string id = id_in(crawl(home, {server.url("/a"), server.url("/b"), "--only-these"}));

    std::string said;
    while (!contains(said, "2 URLs wait to be tried again, the first in "))
        said = home.run({"status", id}).out;

    CHECK(contains(said, ": HTTP 429 Too Many Requests"));
    CHECK(contains(said, "running"));
    CHECK(home.run({"crawl", id, "--cancel"}).exit_code == 0);
    CHECK_FALSE(contains(home.run({"status", id}).out, "tried again"));
}

TEST_CASE("an empty or binary page that was named has failed") {
    MixedSite site;
    const DataHome home;

    for (const char* name : {"empty", "download", "picture.png"}) {
        CAPTURE(std::string(name));
        const Ran ran = crawl(home, {site.url(name), "--only-these", "--wait", "--json"});
        CHECK(ran.exit_code == 1);
        CHECK(json::parse(ran.out).at("urls_failed") == 1);
        CHECK(contains(ran.err, "failed"));
        CHECK_FALSE(contains(home.run({"status", id_in(ran), "--errors"}).err, "Nothing failed"));
        CHECK(scrape({site.url(name)}).exit_code == 1);
    }
}

TEST_CASE("each line of the log names the part of the program, and one about a failure says why") {
    MixedSite site;
    const DataHome home;

    home.watch(id_in(crawl(home, {site.url("good"), site.url("dead"), "--only-these"})));
    REQUIRE(home.run({"daemon", "stop"}).exit_code == 0);

    const std::string log = home.run({"daemon", "logs", "-n", "1000"}).out;
    CHECK(contains(log,
                   "fetch: url failed url=" + site.url("dead") + " status=404 reason=\"HTTP 404 Not Found"));
    CHECK(contains(log, "work: crawl completed id="));
    CHECK(contains(log, " pages=1 failed=1 "));
    const std::regex shape(R"(\d{4}-\d\d-\d\dT\S+Z \d+ [a-z]+: .+)");
    for (const std::string& line : lines_of(log)) CHECK_MESSAGE(std::regex_match(line, shape), line);
}

TEST_CASE("a dead worker's pages are taken over, and the log says whose and how many") {
    SlowSite site(200, 50ms);
    const DataHome home;
    const std::string id = [&] {
        StartedQuarry worker({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
        site.wait_for_requests(20);
        worker.send(SIGKILL);
        CHECK(worker.wait() == 128 + SIGKILL);
        return std::string(
            json::parse(home.run({"status", "--list", "--json"}).out).at(0).at("crawl_id").as_string());
    }();

    REQUIRE(home.run({"daemon", "start"}).exit_code == 0);
    CHECK(home.watch(id).at("status") == "completed");

    const std::string log = home.run({"daemon", "logs", "-n", "1000"}).out;
    CHECK(contains(log, "worker died name="));
    CHECK(contains(log, " leases="));
    CHECK(home.pages_of(id) == site.all_urls());
}

TEST_CASE("without Redis those go on alone who have said that they may, with a warning") {
    MixedSite site;
    const DataHome home;

    const Ran refused =
        home.run({"--store", "redis://127.0.0.1:1", "crawl", site.url("good"), "--allow-private"});
    const Ran local = home.run({"--store", "redis://127.0.0.1:1", "--local", "crawl", site.url("good"),
                                "--allow-private", "--only-these", "--wait"});

    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "Check that it runs and that the address is right"));
    CHECK(local.exit_code == 0);
    CHECK(contains(local.err, "Going on with"));
}

// --- Edge cases

TEST_CASE("all URLs fail: all are reported, exit 1; some fail: the others are there, exit 1") {
    MixedSite site;

    const Ran none = scrape({site.url("dead"), site.url("broken")});
    CHECK(none.exit_code == 1);
    CHECK(contains(none.err, "0 succeeded, 2 failed"));
    CHECK(contains(none.err, "404"));
    CHECK(contains(none.err, "500"));
    const Ran some = scrape({site.url("dead"), site.url("good")});
    CHECK(some.exit_code == 1);
    CHECK(contains(some.err, "1 succeeded, 1 failed"));
    CHECK(contains(some.out, "Granite is solid"));
}

TEST_CASE("Ctrl-C pauses a crawl, which goes on where it was") {
    SlowSite site(60, 20ms);
    const DataHome home;
    StartedQuarry waiting({"crawl", site.url(), "--allow-private", "--wait"}, home.options());
    site.wait_for_requests(5);

    waiting.send(SIGINT);

    CHECK(waiting.wait() == 130);
    const auto paused = json::parse(home.run({"status", "--list", "--json"}).out).at(0).as_object();
    CHECK(paused.at("status") == "paused");
    const std::string id(paused.at("crawl_id").as_string());
    CHECK(home.run({"crawl", id, "--resume", "--wait"}).exit_code == 0);
    CHECK(home.pages_of(id) == site.all_urls());
}

TEST_CASE("a very long URL is shortened where people read, and whole where programs do") {
    MixedSite site;
    const std::string url = site.url("dead?" + std::string(600, 'x') + "end");

    const Ran ran = scrape({url, "--json"});

    CHECK(json::parse(ran.out).at("url").as_string() == url);
    CHECK(contains(ran.err, "…"));
    CHECK_FALSE(contains(ran.err, std::string(600, 'x')));
}

TEST_CASE("a page that is in the list twice, and a page that is crawled again, are kept once") {
    MixedSite site;
    const DataHome home;

    for (int run = 0; run < 2; ++run) {
        const Ran ran = crawl(home, {site.url("good"), site.url("good"), "--only-these", "--wait"});
        CHECK(ran.exit_code == 0);
    }

    const json::object found =
        json::parse(home.run({"search", "granite solid grey", "--json"}).out).as_object();
    CHECK(found.at("hits").as_array().size() == 1);
}

TEST_CASE("a site that allows few requests a second loses no page") {
    // Three a second, for the crawl as for anybody.
    HostileServer server;
    std::atomic<std::int64_t> second = 0;
    std::atomic<int> answered = 0;
    const auto limited = [&](const ServerRequest& request, Connection& connection) {
        const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                             std::chrono::steady_clock::now().time_since_epoch())
                             .count();
        if (second.exchange(now) != now) answered = 0;
        if (++answered > 3) return void(connection.respond(429, {}, "slow down"));
        connection.respond(200, {{"Content-Type", "text/html"}},
                           "<title>" + request.path + "</title><main><p>The page " + request.path +
                               " is one of several that this site gives to those who wait.</p></main>");
    };
    server.on("/l/*", limited);
    const DataHome home;
    std::vector<std::string> urls;
    for (int i = 0; i < 9; ++i) urls.push_back(server.url("/l/" + std::to_string(i)));
    urls.insert(urls.end(), {"--only-these", "--wait", "--json"});

    const Ran ran = crawl(home, urls);

    CHECK(ran.exit_code == 0);
    CHECK(json::parse(ran.out).at("urls_completed") == 9);
    CHECK(contains(ran.err, " and 8 more (9 pages)"));
}

TEST_CASE("many pages come over few connections") {
    SlowSite site(60, 0ms);
    const DataHome home;

    REQUIRE(crawl(home, {site.url(), "--wait"}).exit_code == 0);
    const std::size_t of_crawl = site.server().count_connections();
    std::vector<std::string> urls = site.all_urls();
    urls.insert(urls.end(), {"-c", "5"});
    REQUIRE(scrape(urls).exit_code == 0);

    // A host gets eight at a time, and one is for robots.txt and sitemaps.
    CHECK(of_crawl <= 10);
    CHECK(site.server().count_connections() - of_crawl <= 6);
    CHECK(site.server().requests().size() > 120);
}

TEST_CASE("scrape --collection also keeps what it prints, as a crawl would, and search finds it") {
    MixedSite site;
    const DataHome home;

    const Ran ran = home.run({"scrape", site.url("good"), site.url("dead"), "--formats", "links",
                              "--collection", "stones", "--allow-private", "--retries", "0"});

    CHECK(ran.exit_code == 1);  // of one page there is nothing to keep
    CHECK_FALSE(contains(ran.out, "Granite"));
    CHECK(contains(ran.err, "Kept 1 page in the collection stones"));
    const Ran found = home.run({"search", "granite", "--collection", "stones", "--json"});
    REQUIRE(json::parse(found.out).at("hits").as_array().size() == 1);
    CHECK(json::parse(found.out).at("hits").at(0).at("url") == site.url("good").c_str());
    // To a crawl it is the page that it fetches from there.
    CHECK(crawl(home, {site.url("good"), "--only-these", "--collection", "stones", "--wait"}).exit_code == 0);
    CHECK(lines_of(home.run({"export", "pages", "--collection", "stones"}).out).size() == 1);
    CHECK(home.run({"export", "pages", "--collection", "default"}).exit_code == 1);
    for (const char* command : {"scrape", "crawl"}) {
        const Ran refused = home.run({command, site.url("other"), "--collection", "#7", "--allow-private"});
        CHECK(refused.exit_code == 2);
        CHECK(contains(refused.err, "a collection has a name, which does not begin with #"));
    }
    CHECK(site.requests_for("other") == 0);
}
