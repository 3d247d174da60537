// Commands over `quarry serve`: they do on a machine without data what they do on the server's own machine.
#include <fstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "program/service.h"
#include "program/slow_site.h"
#include "servers/free_port.h"
#include "servers/hostile_server.h"

using namespace quarry::test;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string url_of(const Service& service) {
    return fmt::format("http://127.0.0.1:{}", service.port());
}

// A machine without a data folder that talks to a server.
class Elsewhere {
public:
    explicit Elsewhere(std::string server) : server_(std::move(server)) {}

    Ran run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--server", server_});
        return home_.run(arguments);
    }
    Ran run_with(const std::vector<std::string>& arguments, const std::string& variable) const {
        RunOptions options = home_.options();
        options.environment.push_back(variable);
        return run_quarry(arguments, options);
    }
    Ran run_with_key(std::vector<std::string> arguments, const std::string& key) const {
        arguments.insert(arguments.end(), {"--server", server_});
        return run_with(arguments, "QUARRY_API_KEY=" + key);
    }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(home_.file(name)) << text;
        return home_.file(name);
    }

private:
    const std::string server_;
    const DataHome home_;
};

}  // namespace

TEST_CASE("what is read over a server is what is read on its machine") {
    SlowSite site(7, 0ms);
    const DataHome home;
    const Ran crawled =
        home.run({"crawl", site.url(), "--allow-private", "--wait", "--json", "--collection", "numbers"});
    REQUIRE(crawled.exit_code == 0);
    const std::string id = id_in(crawled);
    const Ran failing =
        home.run({"crawl", site.server().url("/nothing"), "--allow-private", "--wait", "--json"});
    REQUIRE(failing.exit_code == 1);
    std::ofstream(home.file("notes.jsonl")) << R"({"_id":"a","title":"Notes","text":"About granite."})"
                                            << "\n";
    REQUIRE(home.run({"import", home.file("notes.jsonl"), "--collection", "notes"}).exit_code == 0);
    const Ran job = home.run({"queue", "list", "--kind", "embed_page", "--limit", "1", "--json"});
    const std::string job_id(json::parse(job.out).at(0).at("id").as_string());
    std::ofstream(home.file("batch.jsonl")) << R"({"_id":"1","text":"granite"})" << "\n";
    const Service service(home);
    REQUIRE(home.run({"schedule", "list"}).exit_code == 0);
    const Elsewhere elsewhere(url_of(service));

    const std::vector<std::vector<std::string>> commands = {
        {"status"},
        {"status", "--list", "--json"},
        {"status", "--active"},
        {"status", id},
        {"status", id, "--json"},
        {"status", id.substr(0, 23), "--json"},
        {"status", id, "--watch", "--json"},
        {"status", id, "--errors"},
        {"status", id_in(failing), "--errors", "--json"},
        {"status", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10"},
        {"queue", "status"},
        {"queue", "status", "--json"},
        {"queue", "status", "--collection", "numbers", "--json"},
        {"queue", "list", "--json"},
        {"queue", "list", "--crawl", id, "--state", "completed"},
        {"queue", "list", "--kind", "embed_page", "--state", "processing", "--json"},
        {"queue", "show", job_id, "--json"},
        {"queue", "show", "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10"},
        {"embed-queue", "list", "--limit", "3"},
        {"collections", "list"},
        {"collections", "list", "--json"},
        {"collections", "show", "numbers"},
        {"collections", "show", "nothing"},
        {"search", "granite", "--collection", "notes"},
        {"search", "page", "--collection", "numbers", "--json", "--limit", "3", "--offset", "1"},
        {"search", "--batch", home.file("batch.jsonl"), "--collection", "notes"},
        {"search", "page", "--collection", "nothing"},
        {"export", "pages"},
        {"export", "pages", id, "--without-content"},
        {"export", "pages", "--collection", "notes"},
        {"export", "chunks", "--collection", "numbers"},
        {"export", "vectors", "--collection", "notes"},
        {"schedule", "list", "--json"},
    };
    for (const auto& command : commands) {
        CAPTURE(fmt::format("{}", fmt::join(command, " ")));
        const Ran here = home.run(command), there = elsewhere.run(command);
        CHECK(there.out == here.out);
        CHECK(there.err == here.err);
        CHECK(there.exit_code == here.exit_code);
    }
}

TEST_CASE("a site is crawled, found, indexed again and forgotten over a server") {
    SlowSite site(5, 0ms);
    const DataHome home;
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));

    const Ran crawled = elsewhere.run({"crawl", site.url(), "--wait", "--json"});
    const Ran found = elsewhere.run({"search", "page", "--json"});
    const Ran again = elsewhere.run({"reindex", "--json"});
    const Ran processed = elsewhere.run({"queue", "process", "--json"});
    const Ran written = elsewhere.run({"crawl", site.url(), "-o", home.file("pages/")});
    const Ran forgotten = elsewhere.run({"forget", site.url(), "--json"});
    const Ran deleted = elsewhere.run({"collections", "delete", "default", "--yes"});

    CAPTURE(crawled.err);
    CHECK(crawled.exit_code == 0);
    CHECK(contains(crawled.err, "Crawling " + site.url()));
    CHECK(json::parse(crawled.out).at("pages_indexed") == 5);
    CHECK(found.exit_code == 0);
    CHECK(json::parse(again.out).at("pages") == 5);
    CHECK(processed.exit_code == 0);
    CHECK(contains(written.err, "5 files below"));
    CHECK(json::parse(forgotten.out).at("count") == 1);
    CHECK(deleted.exit_code == 0);
    CHECK(elsewhere.run({"collections", "list", "--json"}).out == "[]\n");
}

TEST_CASE("a crawl is begun, paused, resumed and cancelled over a server") {
    SlowSite site(200, 50ms);
    const DataHome home;
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));

    const Ran begun = elsewhere.run({"crawl", site.url(), "--max-concurrency", "1"});
    const std::string id = id_in(begun);
    const auto status = [&] { return json::parse(elsewhere.run({"status", id, "--json"}).out).at("status"); };

    CHECK(begun.exit_code == 0);
    CHECK(elsewhere.run({"crawl", id, "--pause"}).exit_code == 0);
    CHECK(status() == "paused");
    CHECK(elsewhere.run({"crawl", id, "--resume"}).exit_code == 0);
    CHECK(elsewhere.run({"crawl", id, "--cancel"}).exit_code == 0);
    CHECK(status() == "cancelled");
    CHECK(elsewhere.run({"crawl", id, "--cancel"}).exit_code == 2);
    CHECK(elsewhere.run({"queue", "retry", "--crawl", id, "--json"}).exit_code == 0);
}

TEST_CASE("documents are imported into a server and crawls scheduled there") {
    const DataHome home;
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));
    // Longer than a message to the owner of a data folder may be.
    const std::string long_text = [] {
        std::string text = "# Granite\n\n";
        while (text.size() < (3u << 20)) text += "Granite is a coarse rock of quartz and feldspar.\n\n";
        return text;
    }();
    const std::string note = elsewhere.file("note.md", long_text);

    const Ran imported = elsewhere.run({"import", note, "--json"});
    const Ran found = elsewhere.run({"search", "feldspar", "--json", "--limit", "1"});
    const Ran again = elsewhere.run({"import", note, "--json"});
    const Ran planned = elsewhere.run({"crawl", "https://blog.example.com/a/", "--every", "@daily"});
    const Ran listed = elsewhere.run({"schedule", "list", "--json"});
    const Ran removed = elsewhere.run({"schedule", "remove", "https://blog.example.com/a/"});

    CAPTURE(imported.err);
    CHECK(json::parse(imported.out).at("added") == 1);
    CHECK(json::parse(imported.out).at("chunks").to_number<int>() > 10);
    CHECK(found.exit_code == 0);
    CHECK(json::parse(again.out).at("unchanged") == 1);
    CHECK(planned.exit_code == 0);
    CHECK(json::parse(listed.out).as_array().size() == 1);
    CHECK(removed.exit_code == 0);
    CHECK(elsewhere.run({"schedule", "list", "--json"}).out == "[]\n");
}

TEST_CASE("pages are scraped and sites are mapped by a server") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));

    const std::vector<std::vector<std::string>> commands = {
        {"scrape", site.url()},
        {"scrape", site.url(), "--formats", "links"},
        {"scrape", site.url(), "--formats", "rawHtml"},
        {"scrape", site.url(), site.server().url("/p/2")},
        {"scrape", site.server().url("/nothing")},
        {"map", site.url()},
    };
    for (auto command : commands) {
        CAPTURE(fmt::format("{}", fmt::join(command, " ")));
        const Ran there = elsewhere.run(command);
        command.emplace_back("--allow-private");
        const Ran here = home.run(command);
        CHECK(there.out == here.out);
        CHECK(there.exit_code == here.exit_code);
    }
    CHECK(contains(elsewhere.run({"scrape", site.url(), "--formats", "text"}).err, "no plain text"));
    const Ran kept = elsewhere.run({"scrape", site.url(), "--collection", "kept"});
    CHECK(kept.exit_code == 0);
    CHECK(contains(kept.err, "Kept 1 page in the collection kept"));
    CHECK(contains(home.run({"search", "page", "--collection", "kept"}).out, site.url()));
    const json::value record = json::parse(elsewhere.run({"scrape", site.url(), "--json"}).out);
    CHECK(record.at("success") == true);
    CHECK(record.at("metadata").at("statusCode") == 200);
}

TEST_CASE("a server that cannot be used is an error that says what to do") {
    SlowSite site(1, 0ms);
    const DataHome home;

    const Ran nobody = Elsewhere(fmt::format("http://127.0.0.1:{}", free_port())).run({"status"});
    const Ran stranger = Elsewhere(site.server().url("/")).run({"status"});
    const Ran nonsense = Elsewhere("ftp://x").run({"search", "x"});
    const Ran with_key = Elsewhere("http://127.0.0.1:1/?key=hush").run({"status"});

    CHECK(nobody.exit_code == 2);
    CHECK(contains(nobody.err, "Is `quarry serve` running there?"));
    CHECK(nobody.out.empty());
    CHECK(stranger.exit_code == 2);
    CHECK(contains(stranger.err, "it is no quarry server"));
    CHECK(nonsense.exit_code == 2);
    CHECK(contains(nonsense.err, "is no address of a server"));
    CHECK(contains(with_key.err, "is no address of a server"));
    CHECK_FALSE(contains(with_key.err, "hush"));
}

TEST_CASE("each key has crawls, collections and documents of its own") {
    SlowSite site(3, 0ms);
    const DataHome home;
    const auto key_of = [&](const std::string& owner) {
        const Ran made = home.run({"keys", "create", "--owner", owner});
        REQUIRE(made.exit_code == 0);
        return made.out.substr(0, made.out.find('\n'));
    };
    const std::string ann = key_of("ann"), bob = key_of("bob");
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));
    const std::string note = elsewhere.file("note.md", "# Granite\n\nA coarse rock.\n");

    const Ran crawled = elsewhere.run_with_key({"crawl", site.url(), "--wait", "--json"}, ann);
    const Ran imported = elsewhere.run_with_key({"import", note, "--json"}, ann);

    REQUIRE(crawled.exit_code == 0);
    REQUIRE(imported.exit_code == 0);
    const std::string id = id_in(crawled);
    CHECK(json::parse(crawled.out).at("collection") == "default");
    const json::value listed =
        json::parse(elsewhere.run_with_key({"collections", "list", "--json"}, ann).out);
    REQUIRE(listed.as_array().size() == 1);
    CHECK(listed.at(0).at("name") == "default");
    CHECK(listed.at(0).at("pages") == 4);
    CHECK(listed.at(0).at("chunks").to_number<int>() >= 4);
    CHECK(elsewhere.run_with_key({"search", "granite"}, ann).exit_code == 0);
    const std::vector<std::string> search = {"search", "granite", "--server", url_of(service)};
    CHECK(elsewhere.run_with(search, "FIRECRAWL_API_KEY=" + ann).exit_code == 0);
    CHECK(elsewhere.run_with_key({"export", "pages"}, ann).exit_code == 0);
    // Another client finds nothing of it, whatever that client asks for.
    CHECK(elsewhere.run_with_key({"status", "--list", "--json"}, bob).out == "[]\n");
    CHECK(elsewhere.run_with_key({"status", id}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"crawl", id, "--cancel"}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"collections", "list", "--json"}, bob).out == "[]\n");
    CHECK(elsewhere.run_with_key({"search", "granite"}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"search", "granite", "--collection", "ann~default"}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"export", "pages"}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"export", "pages", id}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"queue", "list", "--json"}, bob).out == "[]\n");
    CHECK(elsewhere.run_with_key({"forget", site.url()}, bob).exit_code == 1);
    CHECK(elsewhere.run_with_key({"forget", site.url()}, ann).exit_code == 0);
}

TEST_CASE("a key that the server does not take is said so") {
    const DataHome home;
    REQUIRE(home.run({"keys", "create", "--owner", "ann"}).exit_code == 0);
    const Service service(home);
    const Elsewhere elsewhere(url_of(service));

    const Ran refused = elsewhere.run_with_key({"status"}, "fc-not-a-key");

    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "does not take this key"));
    CHECK(contains(refused.err, "--api-key-file"));
    CHECK_FALSE(contains(refused.err, "fc-not-a-key"));
}

TEST_CASE("a command about this machine does not pretend to be about a server") {
    const Elsewhere elsewhere("http://127.0.0.1:9");

    for (const char* command : {"serve", "worker", "demo", "config"}) {
        CAPTURE(command);
        const Ran ran =
            elsewhere.run(command == std::string("config") ? std::vector<std::string>{"config", "show"}
                                                           : std::vector<std::string>{command});
        CHECK(ran.exit_code == 2);
        CHECK(contains(ran.err, "works on this machine only"));
    }
    CHECK(
        contains(elsewhere.run_with({"worker"}, "QUARRY_URL=http://127.0.0.1:9").err, "without QUARRY_URL"));
    CHECK(elsewhere.run_with({"config", "show"}, "QUARRY_URL=http://127.0.0.1:9").exit_code == 0);
}

TEST_CASE("whoever waits for a crawl waits for a server that is started again") {
    SlowSite site(60, 20ms);
    const DataHome home;
    auto service = std::make_unique<Service>(home);
    const std::uint16_t port = service->port();
    const Elsewhere elsewhere(url_of(*service));
    const std::string id = id_in(elsewhere.run({"crawl", site.url(), "--max-concurrency", "2"}));
    site.wait_for_requests(5);

    service->kill();
    service = std::make_unique<Service>(home, port);
    const Ran watched = elsewhere.run({"status", id, "--watch", "--json"});

    CAPTURE(watched.err);
    CHECK(watched.exit_code == 0);
    CHECK(json::parse(watched.out).at("urls_completed") == 60);
}

TEST_CASE("whatever a server answers, a command ends with a sentence") {
    // The server's greeting is right, so that the command goes on. Every other answer is one of these.
    const std::string bodies[] = {
        "",
        "no JSON",
        "null",
        "7",
        "\"text\"",
        "[]",
        "[[]]",
        "{}",
        R"({"error":7,"code":[]})",
        R"({"group":"x","id":[],"count":{},"added":null,"revoked":7,"removed":"","is_busy":"yes","data":[]})",
        R"({"group":1.5,"id":1e300,"count":-1e300,"added":18446744073709551615,"removed":true,"is_busy":1})",
        R"({"group":7,"id":7,"count":7,"removed":true,"is_busy":false,"hits":[7],"links":[7],"data":{}})",
        R"({"crawls":[{}],"jobs":[{}],"counts":[7],"urls":[[]],"documents":[{}],"collections":[null]})",
        R"({"crawls":{},"jobs":7,"counts":"","urls":null,"documents":{},"collections":7,"schedules":{}})",
        R"({"schedules":[{"name":7}],"workers":[7],"chunks":7,"hits":[{"page":"x"}],"links":{},"next":"x"})",
        R"({"data":{"metadata":7,"links":[7,{}],"markdown":[]},"suggestions":7,"mode":[],"timings":7})",
        std::string(200, '[') + std::string(200, ']'),
    };
    std::string body;
    HostileServer server;
    server.on("/*", [&](const ServerRequest&, Connection& connection) {
        connection.respond(200, {{"Content-Type", "application/json"}}, body);
    });
    const Elsewhere elsewhere(server.url(""));
    const std::string id = "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10";
    const std::string notes = elsewhere.file("notes.jsonl", R"({"_id":"a","title":"T","text":"Granite."})");
    const std::string urls = elsewhere.file("urls.txt", "https://a.example/\n");
    const std::vector<std::vector<std::string>> commands = {
        {"status"},
        {"status", "--list", "--json"},
        {"status", id},
        {"status", id, "--errors"},
        {"status", id, "--watch", "--json"},
        {"crawl", "https://a.example/"},
        {"crawl", "https://a.example/", "--wait"},
        {"crawl", "https://a.example/", "--every", "0 6 * * *"},
        {"crawl", id, "--pause"},
        {"crawl", id, "--cancel"},
        {"crawl", id, "--resume", "--wait"},
        {"search", "x"},
        {"search", "x", "--json"},
        {"queue", "status"},
        {"queue", "list"},
        {"queue", "show", id},
        {"queue", "retry", "--kind", "fetch_page", "--yes"},
        {"queue", "cancel", "--kind", "fetch_page", "--yes"},
        {"queue", "process"},
        {"embed-queue", "list"},
        {"collections", "list"},
        {"collections", "show", "c"},
        {"collections", "create", "c"},
        {"collections", "delete", "c", "--yes"},
        {"import", notes},
        {"forget", "https://a.example/"},
        {"reindex"},
        {"export", "pages"},
        {"export", "chunks"},
        {"schedule", "list"},
        {"schedule", "remove", "x"},
        {"scrape", "https://a.example/"},
        {"scrape", "https://a.example/", "--json"},
        {"map", "https://a.example/"},
        {"extract", "-f", urls},
    };

    for (const std::string& said : bodies) {
        body = said;
        CAPTURE(body);
        CHECK(elsewhere.run({"status"}).exit_code == 2);  // not even a greeting
    }
    server.on("/api/v1/server", [](const ServerRequest&, Connection& connection) {
        connection.respond(200, {{"Content-Type", "application/json"}},
                           R"({"name":"quarry","api":1,"version":"0","salt":"0000000000000000"})");
    });
    for (const std::string& said : bodies) {
        body = said;
        for (const auto& command : commands) {
            CAPTURE(body);
            CAPTURE(fmt::format("{}", fmt::join(command, " ")));
            const Ran ran = elsewhere.run(command);
            CAPTURE(ran.err);
            CHECK(ran.exit_code >= 0);
            CHECK(ran.exit_code <= 2);
        }
    }
}
